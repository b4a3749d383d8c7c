import fc from 'fast-check';
import { anyJson, odd } from './odd.js';
import { type Break, type FuzzRequest } from './requests.js';

const bodyNames = [
  'carrier_code',
  'method_code',
  'method_label',
  'carrier_label',
  'is_active',
  'sort_order',
  'meta',
  'use_default',
  'id',
  'project_id',
  'version',
  'carier_label',
  '__proto__',
  'constructor',
  '',
];
const text = (body: FuzzRequest['body']): string => String(body ?? '{}');
const inField = fc
  .tuple(fc.constantFrom(...bodyNames), fc.oneof(anyJson, fc.dictionary(odd, anyJson, { maxKeys: 3 })))
  // Written as text, because `__proto__` in an object literal sets the prototype.
  .map(
    ([name, value]) =>
      (body: string) =>
        body.replace(/\}$/, `${body === '{}' ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value)}}`),
  );
const deep = [
  '{"meta":'.repeat(10_000),
  '['.repeat(100_000),
  `{"meta":${'{"a":'.repeat(9_999)}1${'}'.repeat(10_000)}`,
];
const whole = fc.oneof(
  { weight: 6, arbitrary: anyJson.map((value) => () => JSON.stringify(value)) },
  { weight: 6, arbitrary: fc.nat({ max: 80 }).map((length) => (body: string) => body.slice(0, length)) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(...bodyNames).map((name) => (body: string) => body.replace(name, 'x')),
  },
  { weight: 3, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => () => Buffer.from(bytes)) },
  { weight: 2, arbitrary: fc.constantFrom(...deep).map((nested) => () => nested) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('1e400', '-0', '1e-400', '12345678901234567890', '0.1')
      .map((n) => (body: string) => body.replace(/\}$/, `,"sort_order":${n}}`)),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('"\\ud800"', '"\\u0000"', '1e999', '{"constructor":1}', `"${'é'.repeat(9000)}"`)
      .map((v) => (body: string) => body.replace(/\}$/, `,"meta":{"a":${v}}}`)),
  },
  { weight: 1, arbitrary: fc.constant(() => `{"meta":{"a":"${'x'.repeat(1_100_000)}"}}`) },
);
export const inBody: fc.Arbitrary<Break> = fc
  .oneof(inField, inField, whole)
  .map(
    (breaks) => (request) =>
      request.body === undefined ? request : { ...request, body: breaks(text(request.body)) },
  );
