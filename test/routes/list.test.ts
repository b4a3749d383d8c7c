import { beforeAll, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { adapters } from '../support/app.js';
import { Client } from '../support/client.js';
import { byCodePoints } from '../support/order.js';

function named(carrier_code: string, method_code: string, method_label: string, more: object = {}) {
  return { carrier_code, method_code, method_label, sort_order: 2, ...more };
}

describe.each(adapters)('the list on %s', (adapter) => {
  const host = mounted({ adapter });
  let shop: Client;
  beforeAll(async () => {
    shop = host.shop();
    for (const method of catalogue) await shop.create(method);
  });

  const catalogue = [
    named('ups', '03', 'UPS Ground', { carrier_label: 'UPS' }),
    named('ups', '01', 'Next Day Air', { carrier_label: 'UPS' }),
    named('FedEx', 'FEDEX_GROUND', 'Ground'),
    named('FedEx', 'fedex_ground', 'Ground 50%'),
    named('dpd', 'DPD8:30', 'bis 8:30', { is_active: false, sort_order: -1 }),
    named('한진택배', 'GS더프레시', '편의점 ΟΔΟΣ'),
    named('ﬀ', '1', 'bmp'),
    named('𝒰ps', '1', 'astral'),
    named('école', '1_2', 'À vélo, Straße'),
    named('post', '1', 'HAUPTSTRAẞE'),
  ];

  const listedCodes = async (query: string): Promise<string[]> => {
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
    const past = await shop.list('page=4&per_page=5');
    const nothing = await host.shop().list();

    expect(second.body.meta).toEqual({ page: 2, per_page: 4, total: 10, total_pages: 3 });
    expect(second.body.data).toHaveLength(4);
    expect(past.body).toEqual({ data: [], meta: { page: 4, per_page: 5, total: 10, total_pages: 2 } });
    expect(nothing.body).toEqual({ data: [], meta: { page: 1, per_page: 20, total: 0, total_pages: 0 } });
  });

  // `list-filter.spec.ts` tests what the parameters mean. These rows test how they are read.
  it.each([
    ['q=GROUND', ['FedEx/FEDEX_GROUND', 'FedEx/fedex_ground', 'ups/03']],
    ['q=ground%E3%80%80ups', ['ups/03']],
    ['q=%C2%A0ground%E2%80%83%0Aups%C2%A0', ['ups/03']],
    ['q=ground?', []],
    ['filter[method_label]=Ground?', []],
    ['q=50%25', ['FedEx/fedex_ground']],
    ['q=%5C', []],
    ['q=STRAẞE', ['post/1', 'école/1_2']],
    ['q=VE%CC%81LO', ['école/1_2']],
    ['q=%20%20', null],
    ['q=&filter=&raw_filters=', null],
    ['filter={"carrier_code":["ups","dpd"],"is_active":true}', ['ups/01', 'ups/03']],
    ['filter[carrier_code]=ups&filter[carrier_code]=dpd&filter[is_active]=true', ['ups/01', 'ups/03']],
    ['filter%5Bcarrier_code%5D=ups', ['ups/01', 'ups/03']],
    ['filter[sort_order]=-1', ['dpd/DPD8:30']],
    ['filter={"carrier_code":[]}', []],
    ['filter={"carrier_code":"UPS"}', []],
    ['raw_filters=[{"field":"sort_order","op":"lte","value":-1}]', ['dpd/DPD8:30']],
    ['raw_filters=[{"or":[{"field":"method_code","op":"eq","value":"03"}]}]', ['ups/03']],
    ['raw_filters=[{"field":"method_label","op":"contains","value":"50%25"}]', ['FedEx/fedex_ground']],
    ['raw_filters=[{"field":"created_at","op":"lt","value":"2001-01-01T00:00:00%2B02:00"}]', []],
    ['utm_source=x&pager=0&sort=id', null],
  ])('responds to %s', async (query, expected) => {
    const codes = await listedCodes(query);

    const all = catalogue.map((method) => `${method.carrier_code}/${method.method_code}`);
    expect(codes.toSorted()).toEqual((expected ?? all).toSorted());
  });

  it('has the methods of the tree, in the same order, inactive ones too', async () => {
    const { body } = await shop.list();
    const tree = (await shop.tree()).body.data;

    const carriers = [...new Set(body.data.map(({ carrier_code }) => carrier_code))];
    expect(tree.map(({ carrier_code }) => carrier_code)).toEqual(carriers);
    for (const { carrier_code, methods } of tree)
      expect(methods).toEqual(body.data.filter((method) => method.carrier_code === carrier_code));
  });
});
