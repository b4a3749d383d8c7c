import { beforeEach, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { type Client } from '../support/client.js';
import { changesOf, reactAdminProvider } from './admin/react-admin.js';
import { type Method, ShippingApi } from './admin/shipping-api.js';

// docs/recipes/admin.md names the two files.

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'Ground', meta: { days: 3 } };
const express = { carrier_code: 'ups', method_code: '01', method_label: 'Express', is_active: false };
const paket = { carrier_code: 'dhl', method_code: 'P', method_label: 'Paket' };

const host = mounted();
let shop: Client;
let api: ShippingApi;
let stored: Method;
beforeEach(async () => {
  shop = host.shop();
  api = new ShippingApi(`${shop.origin}${shop.base}/shipments/methods`);
  stored = (await shop.create(ground)).body;
  for (const each of [express, paket]) await shop.create(each);
});
const errorOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);
const codes = (methods: readonly Method[]): string[] => methods.map(({ method_code }) => method_code);

describe("react-admin's data provider", () => {
  const provider = () => reactAdminProvider(api);

  it('gives a page and the total, for words and for values', async () => {
    const page = await provider().getList('methods', { pagination: { page: 2, perPage: 2 }, filter: {} });
    const found = await provider().getList('methods', { filter: { q: 'ups', is_active: true } });
    const named = await provider().getList('methods', { filter: { q: 'express' } });

    expect([codes(page.data), page.total]).toEqual([['03'], 3]);
    expect([codes(found.data), found.total]).toEqual([['03'], 1]);
    expect([codes(named.data), named.total]).toEqual([['01'], 1]);
  });

  it('gives more methods at once than one page of the API holds', async () => {
    for (let number = 0; number < 100; number++)
      await shop.create({ ...paket, method_code: `${number}`, sort_order: 1 });
    const list = (perPage: number) =>
      provider().getList('methods', { pagination: { page: 1, perPage }, filter: {} });

    const exported = await list(1000);
    const selected = await list(102);

    expect([exported.data.length, exported.total]).toEqual([103, 103]);
    expect(new Set(exported.data.map(({ id }) => id)).size).toBe(103);
    expect(selected.data).toEqual(exported.data.slice(0, 102));
  });

  it('gives one method, and several', async () => {
    const { data } = await provider().getList('methods', {});
    const ids = data.slice(1).map(({ id }) => id);

    expect(await provider().getOne('methods', { id: stored.id })).toEqual({ data: stored });
    expect((await provider().getMany('methods', { ids })).data).toEqual(data.slice(1));
    expect(await errorOf(provider().getOne('methods', { id: crypto.randomUUID() }))).toMatchObject({
      status: 404,
    });
  });

  it('sends the fields that have changed, and the three that are required', async () => {
    const previousData = (await provider().getOne('methods', { id: stored.id })).data;
    const data = { ...previousData, sort_order: 7, carrier_label: '' };

    const emptied = provider().update('methods', { id: stored.id, data, previousData });
    expect(await errorOf(emptied)).toMatchObject({
      status: 400,
      body: { errors: { carrier_label: expect.any(String) } },
    });
    const updated = await provider().update('methods', {
      id: stored.id,
      data: { ...previousData, sort_order: 7 },
      previousData,
    });
    const labelled = await provider().update('methods', {
      id: stored.id,
      data: { carrier_label: 'UPS' },
      previousData: updated.data,
    });
    const same = await provider().update('methods', {
      id: stored.id,
      data: labelled.data,
      previousData: labelled.data,
    });

    expect(updated.data).toMatchObject({ ...ground, sort_order: 7, version: 2 });
    expect(labelled.data).toMatchObject({ ...ground, carrier_label: 'UPS', sort_order: 7, version: 3 });
    expect(same.data).toEqual(labelled.data);
  });

  it('does not overwrite what somebody else has changed', async () => {
    const previousData = (await provider().getOne('methods', { id: stored.id })).data;
    await shop.update(stored.id, { ...ground, method_label: 'Theirs', sort_order: 5 });

    const data = { ...previousData, method_label: 'Mine' };
    const refused = provider().update('methods', { id: stored.id, data, previousData });
    expect(await errorOf(refused)).toMatchObject({ status: 412, problem: { code: 'version_mismatch' } });
    const theirs = (await provider().getOne('methods', { id: stored.id })).data;
    const overwritten = await provider().update('methods', {
      id: stored.id,
      data: changesOf(data, previousData),
      previousData: theirs,
    });

    expect(overwritten.data).toMatchObject({ method_label: 'Mine', sort_order: 5, version: 3 });
  });

  it('shows errors at their fields', async () => {
    const bad = { ...ground, method_code: '05', method_label: '', sort_order: 1.5 };

    const refused = await errorOf(provider().create('methods', { data: bad }));

    expect(refused).toMatchObject({
      body: { errors: { method_label: expect.any(String), sort_order: expect.any(String) } },
    });
  });

  it('marks no field of the form for a error in another part of the request', async () => {
    const previousData = { ...stored, etag: 'no etag' };
    const data = { sort_order: 1 };

    const refused = await errorOf(provider().update('methods', { id: stored.id, data, previousData }));

    expect(refused).toMatchObject({ status: 400, body: { errors: {} } });
    expect(refused).toHaveProperty('fields', {});
  });

  it('creates a method from the fields of a cloned one', async () => {
    const { id: _, ...cloned } = stored;

    const created = await provider().create('methods', { data: { ...cloned, method_code: '05' } });

    expect(created.data).toMatchObject({ ...ground, method_code: '05', version: 1 });
  });

  it('creates, changes several, and gives back what it removes', async () => {
    const created = await provider().create('methods', { data: { ...ground, method_code: '05' } });
    await provider().updateMany('methods', { ids: [created.data.id, stored.id], data: { is_active: false } });
    const removed = await provider().delete('methods', { id: created.data.id });
    await provider().deleteMany('methods', { ids: [stored.id] });

    const { data } = await provider().getList('methods', {});
    expect(removed.data.id).toBe(created.data.id);
    expect(codes(data)).toEqual(['P', '01']);
  });
});
