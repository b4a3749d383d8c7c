import { ShippingMethods } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapters, type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { publishedCodes } from '../support/published-codes.js';
import { hasSharedData, realMethods } from '../support/shared-data.js';

const place = hasSharedData ? '' : ' (../shared/data is not here)';

const method = ([carrier_code, method_code]: [string, string]) => ({
  carrier_code,
  method_code,
  method_label: `The method ${method_code}`,
});
const published = publishedCodes.flatMap(({ codes }) => codes.map(method));
/** These codes are equal for databases that ignore case, accents or blanks, and special in SQL, URLs or JSON. */
const hard = [
  ...[
    'É',
    'é',
    'E',
    'e',
    'ß',
    'ss',
    'ﬀ',
    'ff',
    'ﾊ',
    'ハ',
    'Ω',
    'ω',
    '🚚',
    '🚛',
    '𝒰',
    'GS더프레시',
    'क्षेत्र',
    'q\u0307',
  ],
  ...[
    'a',
    'a a',
    'aa',
    '%',
    '%25',
    '_',
    '\\',
    '\\\\',
    "'",
    "''",
    '"',
    '`',
    '$1',
    ':a',
    '?',
    '&',
    '#',
    '+',
    '%20',
    ';',
    '--',
  ],
  ...[
    '<script>',
    '{"a":1}',
    '[]',
    'null',
    '0',
    '00',
    '1e3',
    '..',
    '../a',
    '/',
    '|',
    '^',
    '~',
    '字'.repeat(64),
    '😀'.repeat(128),
  ],
].map((code) => method(['x', code]));

const codesOf = (methods: readonly { carrier_code: string; method_code: string }[]): string[] =>
  methods.map(({ carrier_code, method_code }) => JSON.stringify([carrier_code, method_code])).toSorted();

it('identifiers of six other systems are known', () => {
  expect(publishedCodes.map(({ system }) => system)).toHaveLength(6);
  expect(new Set(codesOf(published)).size).toBeGreaterThanOrEqual(60);
});

type Sent = ReturnType<typeof method>;

/**
 * @param other an application with an empty cache, so it reads the rows
 * @param step how many methods are imported for each one that is created and filtered
 */
async function comeBackUnchanged(
  app: TestApp,
  other: TestApp,
  sent: readonly Sent[],
  step = 1,
): Promise<void> {
  const shop = new Client(app.origin, freshProject());
  const reader = new Client(other.origin, shop.project);
  const importing = other.nest.get(ShippingMethods);

  const sample = sent.filter((_, index) => index % step === 0);
  for (const each of sample) {
    const { status, body } = await shop.create(each);
    expect([status, codesOf([body])]).toEqual([201, codesOf([each])]);
  }
  const created = await reader.tree();
  const imported = await importing.upsertMany(shop.project, sent);
  const all = await shop.tree();

  const codesIn = ({ body }: typeof all): string[] => codesOf(body.data.flatMap(({ methods }) => methods));
  expect(codesIn(created)).toEqual(codesOf(sample));
  expect(imported.changes).toHaveLength(sent.length - sample.length);
  expect(codesOf(imported.methods)).toEqual(codesOf(sent));
  expect(codesIn(all)).toEqual(codesOf(sent));
  for (const { carrier_code, method_code } of sample) {
    const codes = { carrier_code, method_code };
    const brackets = Object.entries(codes).map(
      ([name, code]) => `filter[${name}]=${encodeURIComponent(code)}`,
    );
    const part = [{ field: 'method_code', op: 'starts', value: method_code }];
    const json = `filter=${encoded(codes)}&raw_filters=${encoded(part)}`;
    for (const query of [brackets.join('&'), json])
      expect(codesOf((await reader.list(query)).body.data)).toEqual(codesOf([codes]));
  }
}

const encoded = (value: object): string => encodeURIComponent(JSON.stringify(value));

describe.each(adapters)('the codes of other systems on %s', (adapter) => {
  let app: TestApp;
  let other: TestApp;
  beforeAll(async () => {
    app = await testApp({ adapter });
    other = await testApp({ adapter, database: app.database });
  });
  afterAll(async () => {
    await other?.close();
    await app?.close();
  });

  it.each([
    ['that six systems use', published],
    ['that databases and URLs often change', hard],
  ])('%s are created, listed, filtered and imported, and come back unchanged', async (_title, sent) => {
    await comeBackUnchanged(app, other, sent);
  });

  it.skipIf(!hasSharedData)(
    `of 918 real methods are created, listed, filtered and imported, and come back unchanged${place}`,
    async () => {
      const real = realMethods().map(({ carrier_code, method_code }) => method([carrier_code, method_code]));

      await comeBackUnchanged(app, other, real, 13);
    },
  );
});
