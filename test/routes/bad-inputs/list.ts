import { type BadInput, methods, violating } from '../../support/bad-inputs.js';

// The rules are tested in `list-query.decode.spec.ts`. These inputs test how both adapters pass a query on.

const levels = encodeURIComponent('['.repeat(1_000) + ']'.repeat(1_000));
const everywhere = ['page range', 'per_page range', 'q format', 'filter type', 'raw_filters type'];

const nearMisses = ['perPage unknown', 'filters[id] unknown', 'raw_filter unknown'];

const queries: [given: string, query: string, ...violations: string[]][] = [
  ['no query', ''],
  ['a violation in every parameter', 'page=0&per_page=101&q=%00&filter=1&raw_filters=1', ...everywhere],
  ['page twice', 'page=1&page=1', 'page duplicate'],
  ['unknown parameters', 'sort=x&page[]=0&__proto__=1&constructor[prototype]=1&q[a]=1&limit=-1'],
  ['near misses', 'perPage=5&filters[id]=x&raw_filter=1', ...nearMisses],
  ['q that is not UTF-8', 'q=%FF%C3%28'],
  ['a filter of 1,000 levels', `filter=${levels}`, 'filter type'],
  ['brackets', 'filter[carrier_code]=ups&filter%5Bcarrier_code%5D=dhl&filter[is_active]=true'],
  ['a bracket on __proto__', 'filter[__proto__]=ups', 'filter[__proto__] unknown'],
  ['brackets in brackets', 'filter[carrier_code][]=ups', 'filter[carrier_code][] unknown'],
  ['101 values of a bracket', Array(101).fill('filter[version]=1').join('&'), 'filter[version] too_many'],
  ['raw_filters of 1,000 levels', `raw_filters=${levels}`, 'raw_filters type'],
];

const listed = violating(...Array<string>(50).fill('raw_filters type'));

export const listQueries: BadInput[] = [
  ...queries.map(([given, query, ...violations]): BadInput => ({
    given,
    method: 'GET',
    path: `${methods}?${query}`,
    response: violations.length > 0 ? violating(...violations) : 200,
  })),
  {
    given: '51 violations in raw_filters',
    method: 'GET',
    path: `${methods}?raw_filters=[${Array(51).fill(1).join()}]`,
    response: { ...listed, truncated: true },
  },
];
