import { type ShippingMethodDto, toUpsertRequest } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';

const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };
const saver = { carrier_code: 'ups', method_code: '65', method_label: 'UPS Saver' };

describe('toUpsertRequest', () => {
  const host = mounted();
  const project = freshProject();

  it('copies the stored values of a project, and the copy inherits like the original', async () => {
    await host.methods.upsertMany('default', [
      { ...ground, carrier_label: 'United Parcel', sort_order: 7, meta: { days: 3 } },
    ]);
    await host.methods.upsertMany(project, [
      { ...ground, method_label: 'Own', use_default: true, is_active: false },
      { ...express, meta: { days: [1, 2] }, sort_order: -4 },
    ]);
    const { data } = await host.methods.list(project);
    const requests = data.map(toUpsertRequest);

    const again = await host.methods.upsertMany(project, requests);
    const copy = await host.methods.upsertMany(freshProject(), requests);

    expect([again.methods.length, again.changes]).toEqual([2, []]);
    const made = { id: '', project_id: '', created_at: '', updated_at: '' };
    const values = (method: ShippingMethodDto): ShippingMethodDto => ({ ...method, ...made });
    expect(copy.methods.map(values)).toEqual(data.map(values));
    expect(requests).toMatchObject([{ ...express }, { method_label: 'Own', carrier_label: null, meta: {} }]);
  });

  it('gives a request that can be changed without changing the method', async () => {
    const method = await host.methods.create(freshProject(), { ...saver, meta: { days: [1] } });

    const request = toUpsertRequest(method);
    Object.assign(request.meta ?? {}, { days: 2 });

    expect(method.meta).toEqual({ days: [1] });
  });
});
