import fc from 'fast-check';
import { operations } from './document.js';
import { inBody } from './broken-bodies.js';
import { anyJson, odd } from './odd.js';
import { type Break, type FuzzRequest, percent, validRequest } from './requests.js';

const garbage = fc.oneof(
  odd.map(percent),
  fc.constantFrom(
    '%',
    '%zz',
    '%0',
    '%ff',
    '%C0%80',
    '%ED%A0%80',
    '%00',
    '%2e%2e',
    '.',
    '..',
    '%2F',
    '%5B%5D',
    '+',
    '&',
    '=',
    '%F0%9F',
  ),
  fc.string({ unit: fc.constantFrom(...'%0aFz[]=&+{}"'), maxLength: 12 }),
);
/** On the other routes the host's own parser decides what such a body gets. */
function takesBody(method: string): boolean {
  return method === 'POST' || method === 'PATCH';
}

const fields = [
  'carrier_code',
  'is_active',
  'sort_order',
  'id',
  'created_at',
  'version',
  'nope',
  '',
  '__proto__',
];
const names = fc.oneof(
  fc.constantFrom(
    'page',
    'per_page',
    'q',
    'filter',
    'raw_filters',
    'page[]',
    'q[a]',
    'filter[a][b]',
    'filter[',
    'filter[]]',
    'Page',
    '',
  ),
  fc.constantFrom(...fields).map((field) => `filter[${field}]`),
  garbage,
);
const rawFilter = fc.record(
  {
    field: fc.oneof(fc.constantFrom(...fields), anyJson),
    op: fc.oneof(fc.constantFrom('eq', 'in', 'nin', 'between', 'contains', 'null', 'gt', 'or'), anyJson),
    value: fc.oneof(anyJson, fc.array(anyJson, { maxLength: 3 })),
    or: anyJson,
  },
  { requiredKeys: [] },
);

const inQuery: fc.Arbitrary<Break> = fc
  .array(
    fc.oneof(
      fc.tuple(names, garbage).map(([name, value]) => `${name}=${value}`),
      fc
        .array(fc.oneof(rawFilter, anyJson), { maxLength: 4 })
        .map((list) => `raw_filters=${percent(JSON.stringify(list))}`),
      anyJson.map((value) => `filter=${percent(JSON.stringify(value))}`),
      garbage,
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => (request) => {
    const { target } = request;
    return { ...request, target: target + (target.includes('?') ? '&' : '?') + parts.join('&') };
  });

const inPath: fc.Arbitrary<Break> = fc
  .tuple(fc.nat({ max: 9 }), garbage)
  .map(([index, text]) => (request) => {
    const [path = '', ...query] = request.target.split('?');
    const segments = path.split('/');
    segments[index % segments.length] = text.replaceAll('?', '%3F').replaceAll('#', '%23');
    return { ...request, target: `/${[segments.join('/').replace(/^\//, ''), ...query].join('?')}` };
  });

/** Text that a header can carry. */
const headerText = fc.oneof(
  fc.constantFrom(
    '',
    '"',
    '"1',
    'W/',
    'W/"1"',
    '*, "1"',
    '"1" "2"',
    ',,,',
    '"\u00e9"',
    '1',
    '"01"',
    `"${'1'.repeat(400)}"`,
    '"1",'.repeat(500),
  ),
  fc.string({ unit: fc.constantFrom(...'"*W/,1 \tx\u00ff'), maxLength: 12 }),
);
const inHeader: fc.Arbitrary<Break> = fc
  .oneof(
    fc.tuple(fc.constantFrom('if-match', 'if-none-match', 'accept', 'x-forwarded-for', 'cookie'), headerText),
    fc.tuple(
      fc.constant('content-type'),
      fc.constantFrom(
        '',
        'text/plain',
        'application/json; charset=utf-16',
        'application/json;',
        'application/jsonx',
        'APPLICATION/JSON',
        'multipart/form-data',
        ';;',
        'application/json; charset="utf-8"',
        'application/json; charset=x',
      ),
    ),
    fc.tuple(fc.constant('content-encoding'), fc.constantFrom('gzip', 'br', 'identity', 'x', '')),
    fc.constant(['transfer-encoding', 'chunked'] as const),
  )
  .map(([name, value]) => (request) => {
    const isOfBody = name.startsWith('content-') || name === 'transfer-encoding';
    return isOfBody && !takesBody(request.method)
      ? request
      : { ...request, headers: { ...request.headers, [name]: value } };
  });

const inMethod: fc.Arbitrary<Break> = fc
  .constantFrom(...operations.map(({ method }) => method), 'PUT')
  .map((method) => ({ body, ...request }) => {
    if (takesBody(method)) return { ...request, method, ...(body !== undefined && { body }) };
    return { ...request, method, headers: {} };
  });

/** A valid request with one to three wrong or odd parts. */
export const brokenRequest: fc.Arbitrary<FuzzRequest> = fc
  .tuple(
    validRequest,
    fc.array(
      fc.oneof(
        { weight: 4, arbitrary: inQuery },
        { weight: 3, arbitrary: inPath },
        { weight: 3, arbitrary: inHeader },
        { weight: 6, arbitrary: inBody },
        { weight: 1, arbitrary: inMethod },
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([request, breaks]) =>
    breaks.reduce<FuzzRequest>((broken, breakIt) => breakIt(broken), { ...request, isValid: false }),
  )
  // Node responds with 431 to a longer request line with headers, before any route.
  .map((request) => ({ ...request, target: request.target.slice(0, 11_000) }));
