import { ShippingMethod } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapters, type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { byCodePoints } from '../support/order.js';
import { renewRevision } from '../support/rows.js';

describe.each(adapters)('the list on %s', (adapter) => {
  let app: TestApp;
  let shop: Client;
  beforeAll(async () => {
    app = await testApp({ adapter });
    shop = new Client(app.origin, freshProject());
    for (const method of catalogue) await shop.create(method);
  });
  afterAll(() => app?.close());

  const catalogue = [
    {
      carrier_code: 'ups',
      method_code: '03',
      method_label: 'UPS Ground',
      carrier_label: 'UPS',
      sort_order: 2,
    },
    {
      carrier_code: 'ups',
      method_code: '01',
      method_label: 'Next Day Air',
      carrier_label: 'UPS',
      sort_order: 2,
    },
    { carrier_code: 'FedEx', method_code: 'FEDEX_GROUND', method_label: 'Ground', sort_order: 2 },
    { carrier_code: 'FedEx', method_code: 'fedex_ground', method_label: 'Ground 50%', sort_order: 2 },
    {
      carrier_code: 'dpd',
      method_code: 'DPD8:30',
      method_label: 'bis 8:30',
      is_active: false,
      sort_order: -1,
    },
    { carrier_code: '한진택배', method_code: 'GS더프레시', method_label: '편의점 ΟΔΟΣ', sort_order: 2 },
    { carrier_code: 'ﬀ', method_code: '1', method_label: 'bmp', sort_order: 2 },
    { carrier_code: '𝒰ps', method_code: '1', method_label: 'astral', sort_order: 2 },
    { carrier_code: 'école', method_code: '1_2', method_label: 'À vélo, Straße', sort_order: 2 },
    { carrier_code: 'post', method_code: '1', method_label: 'HAUPTSTRAẞE', sort_order: 2 },
  ];

  const codesOf = async (query: string): Promise<string[]> => {
    const { status, body } = await shop.list(query);
    expect(body.detail ?? status).toBe(200);
    expect(body.meta.total).toBe(body.data.length);
    return body.data.map((method) => `${method.carrier_code}/${method.method_code}`);
  };

  it('is ordered by sort_order, then the codes by code point', async () => {
    const { body } = await shop.list();

    const expected = catalogue.toSorted(
      (a, b) =>
        a.sort_order - b.sort_order ||
        byCodePoints(a.carrier_code, b.carrier_code) ||
        byCodePoints(a.method_code, b.method_code),
    );
    expect(body.data.map((method) => method.method_label)).toEqual(
      expected.map((method) => method.method_label),
    );
  });

  it('has the total on every page, and no rows past the end', async () => {
    const second = await shop.list('page=2&per_page=4');
    const past = await shop.list('page=4&per_page=4');
    const nothing = await new Client(app.origin, freshProject()).list();

    expect(second.body.meta).toEqual({ page: 2, per_page: 4, total: 10, total_pages: 3 });
    expect(second.body.data).toHaveLength(4);
    expect(past.body).toEqual({ data: [], meta: { page: 4, per_page: 4, total: 10, total_pages: 3 } });
    expect(nothing.body).toEqual({ data: [], meta: { page: 1, per_page: 20, total: 0, total_pages: 0 } });
  });

  it.each([
    ['q=GROUND', ['FedEx/FEDEX_GROUND', 'FedEx/fedex_ground', 'ups/03']],
    ['q=ground ups', ['ups/03']],
    ['q=ground%E3%80%80ups', ['ups/03']],
    ['q=%C2%A0ground%E2%80%83%0Aups%C2%A0', ['ups/03']],
    ['q=ground?', []],
    ['filter[method_label]=Ground?', []],
    ['q=50%25', ['FedEx/fedex_ground']],
    ['q=1_2', ['école/1_2']],
    ['q=%5C', []],
    ['q=strasse', ['post/1', 'école/1_2']],
    ['q=hauptstraße', ['post/1']],
    ['q=STRAẞE', ['post/1', 'école/1_2']],
    ['q=VE%CC%81LO', ['école/1_2']],
    ['q=οδος', ['한진택배/GS더프레시']],
    ['q=%20%20', null],
    ['q=', null],
    ['filter={"carrier_code":["ups","dpd"],"is_active":true}', ['ups/01', 'ups/03']],
    ['filter[carrier_code]=ups&filter[carrier_code]=dpd&filter[is_active]=true', ['ups/01', 'ups/03']],
    ['filter%5Bcarrier_code%5D=ups', ['ups/01', 'ups/03']],
    ['filter[sort_order]=-1', ['dpd/DPD8:30']],
    ['filter={"carrier_code":[]}', []],
    ['filter={"carrier_code":"UPS"}', []],
    ['filter=', null],
    [
      'raw_filters=[{"field":"carrier_label","op":"ne","value":"UPS"},{"field":"carrier_code","op":"in","value":["ups","dpd"]}]',
      ['dpd/DPD8:30'],
    ],
    ['raw_filters=[{"field":"carrier_label","op":"null","value":false}]', ['ups/01', 'ups/03']],
    [
      'raw_filters=[{"field":"carrier_label","op":"null","value":true},{"field":"carrier_code","op":"in","value":["ups","dpd"]}]',
      ['dpd/DPD8:30'],
    ],
    ['raw_filters=[{"field":"sort_order","op":"lte","value":-1}]', ['dpd/DPD8:30']],
    ['raw_filters=[{"field":"sort_order","op":"lt","value":-1}]', []],
    ['raw_filters=[{"field":"carrier_label","op":"nin","value":[]}]', null],
    ['raw_filters=[{"field":"carrier_code","op":"in","value":[]}]', []],
    ['raw_filters=[{"or":[]}]', []],
    [
      'raw_filters=[{"or":[{"field":"method_code","op":"eq","value":"01"},{"field":"sort_order","op":"lt","value":0}]}]',
      ['dpd/DPD8:30', 'ups/01'],
    ],
    ['raw_filters=[{"field":"method_label","op":"contains","value":"50%25"}]', ['FedEx/fedex_ground']],
    [
      'raw_filters=[{"field":"method_code","op":"starts","value":"FEDEX_G"}]',
      ['FedEx/FEDEX_GROUND', 'FedEx/fedex_ground'],
    ],
    ['raw_filters=[{"field":"carrier_label","op":"contains","value":"ground"}]', []],
    ['raw_filters=[{"field":"sort_order","op":"between","value":[-5,1]}]', ['dpd/DPD8:30']],
    ['raw_filters=[{"field":"carrier_code","op":"gt","value":"ﬀ"}]', ['𝒰ps/1']],
    ['raw_filters=[{"field":"carrier_code","op":"gte","value":"ﬀ"}]', ['ﬀ/1', '𝒰ps/1']],
    ['raw_filters=[{"field":"created_at","op":"lt","value":"2001-01-01T00:00:00%2B02:00"}]', []],
    [
      'raw_filters=[{"field":"created_at","op":"gt","value":"2001-01-01T00:00:00Z"},{"field":"version","op":"lte","value":1},{"field":"use_default","op":"ne","value":true}]',
      null,
    ],
  ])('answers %s', async (query, expected) => {
    const codes = await codesOf(query);

    const all = catalogue.map((method) => `${method.carrier_code}/${method.method_code}`);
    expect(codes.toSorted()).toEqual((expected ?? all).toSorted());
  });

  it('finds a renamed method by its new names only', async () => {
    const own = new Client(app.origin, freshProject());
    const names = {
      carrier_code: 'old-c',
      method_code: 'old-m',
      carrier_label: 'old-cl',
      method_label: 'old-l',
    };
    const { body } = await own.create(names);

    await own.update(body.id, JSON.stringify(names).replaceAll('old', 'new'));

    for (const name of Object.values(names)) {
      expect([name, (await own.list(`q=${name}`)).body.meta.total]).toEqual([name, 0]);
      expect((await own.list(`q=${name.replace('old', 'new')}`)).body.meta.total).toBe(1);
    }
  });

  it('finds a method by its id', async () => {
    const [first] = (await shop.list()).body.data;

    const { body } = await shop.list(`filter[id]=${first?.id.toUpperCase()}`);

    expect(body.data).toEqual([first]);
  });

  it.each<[op: string, decimals: string, isFound: boolean]>([
    ['eq', '500', true],
    ['eq', '500000000', true],
    ['eq', '5000009', false],
    ['eq', '500000001', false],
    ['ne', '500000001', true],
    ['gt', '499999999', true],
    ['gt', '5000009', false],
    ['gte', '5000009', false],
    ['gte', '499999999', true],
    ['lt', '500000001', true],
    ['lt', '499999999', false],
    ['lte', '500000001', true],
    ['lte', '499999999', false],
  ])('compares a stored 500 ms exactly: %s %s', async (op, decimals, isFound) => {
    const one = new Client(app.origin, freshProject());
    await one.create({ carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' });
    const createdAt = new Date('2026-01-31T12:00:00.5Z');
    const { manager } = app.database.dataSource;
    await manager.update(ShippingMethod, { projectId: one.project }, { createdAt });
    await renewRevision(manager, one.project);
    const time = `2026-01-31T12:00:00.${decimals}Z`;

    const { body } = await one.list(
      `raw_filters=${JSON.stringify([{ field: 'created_at', op, value: time }])}`,
    );

    expect(body.meta.total).toBe(isFound ? 1 : 0);
  });

  it('ignores parameters that it does not know', async () => {
    expect(await codesOf('utm_source=x&pages=0&sort=id')).toHaveLength(catalogue.length);
  });
});
