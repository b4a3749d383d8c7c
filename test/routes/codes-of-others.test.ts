import { ShippingMethodsService } from 'nestjs-shipping';
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
/** Databases often take some of these codes for equal. Others are special in SQL, URLs or JSON. */
const hard = [
  [
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
  [
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
  ],
  ['--', '<b>', '{"a":1}', '[]', 'null', '0', '00', '1e3', '..', '../a', '/', '|', '^', '~'],
  ['字'.repeat(64), '😀'.repeat(128)],
]
  .flat()
  .map((code) => method(['x', code]));

const codesOf = (methods: readonly { carrier_code: string; method_code: string }[]): string[] =>
  methods.map(({ carrier_code, method_code }) => JSON.stringify([carrier_code, method_code])).toSorted();

it('identifiers of six other systems are known', () => {
  expect(publishedCodes.map(({ system }) => system)).toHaveLength(6);
  expect(new Set(codesOf(published)).size).toBeGreaterThanOrEqual(60);
});

type Sent = ReturnType<typeof method>;

/**
 * Creates a sample of the methods, imports all of them, and reads them back.
 * @param other an application with an empty cache, so it reads the rows
 * @param step how many methods are imported for each one in the sample
 */
async function readBack(app: TestApp, other: TestApp, sent: readonly Sent[], step: number) {
  const shop = new Client(app.origin, freshProject());
  const reader = new Client(other.origin, shop.project);
  const codesInTree = async (): Promise<string[]> =>
    codesOf((await reader.tree()).body.data.flatMap(({ methods }) => methods));

  const sample = sent.filter((_, index) => index % step === 0);
  const responses: string[] = [];
  for (const each of sample) responses.push(...codesOf([(await shop.create(each)).body]));
  const created = await codesInTree();
  const { changes, methods } = await other.nest.get(ShippingMethodsService).upsertMany(shop.project, sent);
  const all = await codesInTree();
  const filtered: string[] = [];
  for (const { carrier_code, method_code } of sample) {
    const brackets = `filter[carrier_code]=${encodeURIComponent(carrier_code)}`;
    const part = [{ field: 'method_code', op: 'starts', value: method_code }];
    for (const query of [
      `${brackets}&filter[method_code]=${encodeURIComponent(method_code)}`,
      `filter=${encoded({ carrier_code, method_code })}&raw_filters=${encoded(part)}`,
    ])
      filtered.push(...codesOf((await reader.list(query)).body.data));
  }
  return {
    sample: { responses: responses.toSorted(), created },
    all: { imported: codesOf(methods), all },
    changes: changes.length,
    filtered: filtered.toSorted(),
  };
}

/** What `readBack` returns when no code has changed. */
function unchanged(sent: readonly Sent[], step: number) {
  const codes = codesOf(sent);
  const sample = codesOf(sent.filter((_, index) => index % step === 0));
  return {
    sample: { responses: sample, created: sample },
    all: { imported: codes, all: codes },
    changes: codes.length - sample.length,
    filtered: [...sample, ...sample].toSorted(),
  };
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

  it('are adopted as defaults, and each method then shows the label of its own default', async () => {
    const shop = new Client(app.origin, freshProject());
    const methods = app.nest.get(ShippingMethodsService);
    const defaults = [...published, ...hard];
    await methods.upsertMany('default', defaults);

    const { methods: adopted } = await methods.adoptDefaults(shop.project);
    await methods.upsertMany(
      'default',
      defaults.map((each) => ({ ...each, method_label: `Default ${each.method_code}` })),
    );

    expect(codesOf(adopted)).toEqual(codesOf(defaults));
    const reader = new Client(other.origin, shop.project);
    const shown = (await reader.tree()).body.data.flatMap((carrier) => carrier.methods);
    expect(codesOf(shown)).toEqual(codesOf(defaults));
    expect(shown.filter((each) => each.method_label !== `Default ${each.method_code}`)).toEqual([]);
    expect((await methods.adoptDefaults(shop.project)).changes).toEqual([]);
  });

  // An adapter decodes what a URL has. It makes no difference to the other codes.
  it.each<[string, Sent[]]>([
    ...(adapter === 'fastify' ? [['that six systems use', published] as [string, Sent[]]] : []),
    ['that databases and URLs often change', hard],
  ])('%s are created, listed, filtered and imported, and come back unchanged', async (_title, sent) => {
    expect(await readBack(app, other, sent, 1)).toEqual(unchanged(sent, 1));
  });

  it.skipIf(!hasSharedData || adapter !== 'fastify')(
    `of 918 real methods are created, listed, filtered and imported, and come back unchanged${place}`,
    async () => {
      const real = realMethods().map(({ carrier_code, method_code }) => method([carrier_code, method_code]));

      expect(await readBack(app, other, real, 13)).toEqual(unchanged(real, 13));
    },
  );
});
