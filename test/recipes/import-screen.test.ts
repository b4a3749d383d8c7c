import { DatabaseUnavailableError, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { compiled, type Host, listening, typeOrm } from '../embedding/host.js';
import { freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { ImportController } from './import.controller.js';

// docs/recipes/import-screen.md shows a part of this code.

const header = 'carrier_code;method_code;method_label;sort_order\n';

describe('an import screen', () => {
  let database: TestDatabase;
  let host: Host;
  let methods: ShippingMethodsService;
  let project = '';
  beforeAll(async () => {
    database = await testDatabase();
    const shipping = ShippingModule.forRoot({ isGlobal: true });
    const testing = await compiled([typeOrm(database), shipping], { controllers: [ImportController] });
    host = await listening(testing);
    methods = testing.get(ShippingMethodsService);
  });
  afterAll(async () => {
    await host?.app.close();
    await database?.close();
  });
  beforeEach(async () => {
    project = freshProject();
    await methods.upsertMany(project, [
      { carrier_code: 'ups', method_code: '03', method_label: 'Ground', meta: { b: 1, a: 2 } },
      { carrier_code: 'ups', method_code: 'old', method_label: 'Old' },
    ]);
  });

  const post = async (path: string, upload: object | null, headers: Record<string, string> = {}) => {
    const response = await fetch(`${host.origin}/admin/projects/${project}/import${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      ...(upload && { body: JSON.stringify(upload) }),
    });
    const body = (await response.json()) as Record<string, unknown>;
    return { status: response.status, type: response.headers.get('content-type'), body };
  };
  const labels = async (): Promise<string[]> =>
    (await methods.list(project)).data.map(({ method_label }) => method_label);
  const csv = `${header}ups;03;UPS Ground;5\ndhl;P;Paket;\n`;

  it('shows what a file would change, and then makes exactly these changes', async () => {
    const preview = await post('/preview', { csv });
    const untouched = await labels();
    const done = await post('', { csv }, { 'if-match': String(preview.body['etag']) });

    expect(preview.body['changes']).toMatchObject([
      {
        type: 'updated',
        before: { method_label: 'Ground' },
        after: { method_label: 'UPS Ground', sort_order: 5 },
      },
      { type: 'created', before: null, after: { method_label: 'Paket' } },
      { type: 'removed', before: { method_label: 'Old' }, after: null },
    ]);
    expect(untouched).toEqual(['Ground', 'Old']);
    expect(done).toMatchObject({ status: 200, body: { changed: 3 } });
    expect(await labels()).toEqual(['Paket', 'UPS Ground']);
  });

  it('makes the changes again after a lost race', async () => {
    const preview = await post('/preview', { csv });
    const lost = new DatabaseUnavailableError(undefined, 'race');
    const upsertMany = vi.spyOn(methods, 'upsertMany').mockRejectedValueOnce(lost);

    const done = await post('', { csv }, { 'if-match': String(preview.body['etag']) });
    upsertMany.mockRestore();

    expect(done).toMatchObject({ status: 200, body: { changed: 3 } });
  });

  it('shows each violation with its line and its column', async () => {
    const bad = `${header}ups;03;;1\n\nups;04;"Sa\nver";x\nups;04;Again;1\n\uFEFFups;5;Air;\n`;

    const { status, body } = await post('/preview', { csv: bad });

    expect(status).toBe(400);
    expect(body['lines']).toMatchObject([
      { line: 2, column: 'method_label', detail: 'method_label is required.' },
      { line: 5, column: 'method_label' },
      { line: 5, column: 'sort_order' },
      { line: 6, detail: 'line 6 has the same codes as line 5.' },
      { line: 7, column: 'carrier_code', detail: expect.stringContaining('U+FEFF at position 1') },
    ]);
  });

  it('reads columns by name, quotes, a byte order mark and each usual delimiter', async () => {
    const rows = [
      ['method_label', 'is_active', 'method_code', 'carrier_label', 'carrier_code'],
      ['"Next day, by ""Air""; 12:00"', 'FALSE', '"a,b;c"', '', 'ups'],
      [],
      ['', '', '', '', ''],
      ['Ground', '', '03', 'UPS', 'ups'],
    ];

    for (const delimiter of [',', ';', '\t']) {
      const lines = rows.map((row) => row.join(delimiter));
      const { body } = await post('/preview', { csv: `\uFEFF${lines.join('\r\n')}\r\n` });

      const shown = { method_code: 'a,b;c', method_label: 'Next day, by "Air"; 12:00', is_active: false };
      expect(body['changes']).toMatchObject([
        { type: 'created', after: { ...shown, carrier_label: null } },
        { type: 'updated', after: { method_label: 'Ground', carrier_label: 'UPS', is_active: true } },
        { type: 'removed' },
      ]);
    }
  });

  it.each([
    ['carrier_code,method_code,method_label,price', [[1, 'The column "price" is unknown.']]],
    ['carrier_code,method_code,method_label,constructor', [[1, 'The column "constructor" is unknown.']]],
    [
      'carrier_code,method_code,method_code',
      [
        [1, 'The column "method_code" comes twice.'],
        [1, 'The column "method_label" is missing.'],
      ],
    ],
    [
      'carrier_code,method_code,method_label\nups,03,Ground\nups,04,Next day, 12:00',
      [[3, expect.stringContaining('columns length is 3, got 4')]],
    ],
    [
      'carrier_code,method_code,method_label\nups,03,"Ground',
      [[2, expect.stringContaining('Quote Not Closed')]],
    ],
  ])('refuses the file %j', async (sent, violations) => {
    const { status, body } = await post('/preview', { csv: sent });

    expect(status).toBe(400);
    expect(body['lines']).toEqual(violations.map(([line, detail]) => ({ line, detail })));
  });

  it('tells that a file has more violations than the response lists', async () => {
    const rows = Array.from({ length: 51 }, (_, index) => `ups;${index};;1\n`);
    const fifty = await post('/preview', { csv: header + rows.slice(1).join('') });
    const more = await post('/preview', { csv: header + rows.join('') });

    expect([fifty.body['lines'], more.body['lines']]).toMatchObject([{ length: 50 }, { length: 50 }]);
    expect([fifty.body['truncated'], more.body['truncated']]).toEqual([undefined, true]);
  });

  it.each([
    [null],
    [{}],
    [[]],
    [{ csv: 5 }],
    [{ csv: header, maxRemoved: -1 }],
    [{ csv: header, maxRemoved: 'x' }],
    [{ csv: header, maxRemoved: null }],
  ])('refuses the body %j on both routes', async (upload) => {
    const responses = [await post('/preview', upload), await post('', upload)];

    expect(responses.map(({ status }) => status)).toEqual([400, 400]);
  });

  it.each([
    ['somebody has changed a method since', csv, { method_label: 'Changed' }],
    ['the file is another one', `${header}ups;03;Other;5\n`, {}],
  ])('stores nothing when %s', async (_title, confirmed, changed) => {
    const { body } = await post('/preview', { csv });
    await methods.upsert(project, {
      carrier_code: 'ups',
      method_code: '03',
      method_label: 'Ground',
      ...changed,
    });
    const before = await labels();

    const { status } = await post('', { csv: confirmed }, { 'if-match': String(body['etag']) });

    expect([status, await labels()]).toEqual([412, before]);
  });

  it('asks before it removes many methods, and refuses an empty file', async () => {
    const short = { csv: `${header}dhl;P;Paket;\n`, maxRemoved: 1 };

    const refused = await post('/preview', short);
    const agreed = await post('/preview', { ...short, maxRemoved: Number(refused.body['would_remove']) });
    const empty = await post('/preview', { csv: header });

    expect(refused).toMatchObject({ status: 409, body: { code: 'too_many_removals', would_remove: 2 } });
    expect(agreed.status).toBe(200);
    expect(empty).toMatchObject({ status: 409, body: { would_remove: 2 } });
  });

  it('responds to each error with problem details, without the fields of Nest', async () => {
    const refused = await post('/preview', { csv: `${header}dhl;P;Paket;\n`, maxRemoved: 1 });
    const invalid = await post('/preview', { csv: `${header}ups;03;;1\n` });
    const outdated = await post('', { csv });

    expect([refused.status, invalid.status, outdated.status]).toEqual([409, 400, 412]);
    for (const { type, body, status } of [refused, invalid, outdated]) {
      expect(type).toBe('application/problem+json');
      expect(body).toMatchObject({ status, code: expect.any(String), detail: expect.any(String) });
      for (const name of ['statusCode', 'error', 'message']) expect(body).not.toHaveProperty(name);
    }
  });
});
