import { answersExactly, type BadInput, violating, methods, type Verdict } from '../support/bad-inputs.js';

/** The text after `?`, and the answer. */
type Query = [given: string, query: string, answer: Verdict];

const paging: Query[] = [
  ['no query', '', 200],
  ['an empty page', 'page=&per_page=', 200],
  ['page 0', 'page=0', violating('page range')],
  ['page −1', 'page=-1', violating('page format')],
  ['page 1.5', 'page=1.5', violating('page format')],
  ['page 1e2', 'page=1e2', violating('page format')],
  ['page +1', 'page=%2B1', violating('page format')],
  ['page " 1"', 'page=+1', violating('page format')],
  ['page "1 "', 'page=1%20', violating('page format')],
  ['page "1" and a line break', 'page=1%0A', violating('page format')],
  ['page 0x1', 'page=0x1', violating('page format')],
  ['page 1n', 'page=1n', violating('page format')],
  ['page one', 'page=one', violating('page format')],
  ['page 1 and a NUL', 'page=1%00', violating('page format')],
  ['page in digits that are not ASCII', `page=${encodeURIComponent('１')}`, violating('page format')],
  ['page of 500 digits', `page=${'9'.repeat(500)}`, violating('page range')],
  ['page 2^53', 'page=9007199254740992', violating('page range')],
  ['page twice', 'page=1&page=1', violating('page duplicate')],
  ['page twice, first empty', 'page=&page=1', violating('page duplicate')],
  ['page twice, then empty', 'page=1&page=', violating('page duplicate')],
  ['per_page 1', 'per_page=1', 200],
  ['per_page 100', 'per_page=100', 200],
  ['per_page 0', 'per_page=0', violating('per_page range')],
  ['per_page 101', 'per_page=101', violating('per_page range')],
  ['per_page −1', 'per_page=-1', violating('per_page format')],
  ['per_page of 500 digits', `per_page=${'1'.repeat(500)}`, violating('per_page range')],
  ['per_page twice', 'per_page=1&per_page=2', violating('per_page duplicate')],
  ['an offset of 100,000', 'page=1001&per_page=100', 200],
  ['an offset of 100,100', 'page=1002&per_page=100', violating('page range')],
  ['an offset of 100,000 with per_page 1', 'page=100001&per_page=1', 200],
  ['an offset of 100,001 with per_page 1', 'page=100002&per_page=1', violating('page range')],
  ['an offset of 100,000 with the default per_page', 'page=5001', 200],
  ['an offset of 100,020 with the default per_page', 'page=5002', violating('page range')],
  [
    'a violation in every parameter',
    'page=0&per_page=101&q=%00&filter=1&raw_filters=1',
    violating('page range', 'per_page range', 'q format', 'filter type', 'raw_filters type'),
  ],
  ['unknown parameters', 'sort=x&page[]=0&__proto__=1&constructor[prototype]=1&q[a]=1&limit=-1', 200],
  ['a query of ampersands', '&&=&?&', 200],
];

const words: Query[] = [
  ['an empty q', 'q=', 200],
  ['q of blanks', 'q=%20%09', 200],
  ['q of 100 letters', `q=${'x'.repeat(100)}`, 200],
  ['q of 101 letters', `q=${'x'.repeat(101)}`, violating('q length')],
  ['q of 100 emoji', `q=${encodeURIComponent('🚚'.repeat(100))}`, 200],
  ['q of 101 emoji', `q=${encodeURIComponent('🚚'.repeat(101))}`, violating('q length')],
  ['q of 50 words', `q=${'x+'.repeat(50)}`, 200],
  ['q with a NUL', 'q=a%00b', violating('q format')],
  ['q twice', 'q=a&q=b', violating('q duplicate')],
  ['q with bare percent signs', 'q=100%&page=1', 200],
  ['q that is not UTF-8', 'q=%FF%C3%28', 200],
  ['q with wildcards and a backslash', 'q=%25_%5C', 200],
];

const parameters = ['page', 'per_page', 'q', 'filter', 'raw_filters'];
const twice = parameters.flatMap((name): Query[] => [
  [`${name} twice, the first one empty`, `${name}=&${name}=1`, violating(`${name} duplicate`)],
  [`${name} twice, both empty`, `${name}=&${name}=`, violating(`${name} duplicate`)],
]);

answersExactly(
  'page, per_page and q',
  [...paging, ...words, ...twice].map(([given, query, answer]): BadInput => ({
    given,
    method: 'GET',
    path: `${methods}?${query}`,
    answer,
  })),
);
