import {
  type ShippingMethodDto,
  TooManyRemovalsError,
  upsertRequestOf,
  type UpsertManyOptions,
} from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };
const saver = { carrier_code: 'ups', method_code: '65', method_label: 'UPS Saver' };

describe('removeOthers', () => {
  const host = mounted();

  it('without any request is refused with the number of methods, and removes none', async () => {
    const project = freshProject();
    const { methods } = await host.methods.upsertMany(project, [ground, express]);

    const refused = host.methods.upsertMany(project, [], { removeOthers: true });

    const error = await refused.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TooManyRemovalsError);
    expect(error).toMatchObject({
      wouldRemove: 2,
      maxRemoved: undefined,
      problem: { status: 409, code: 'too_many_removals', would_remove: 2 },
    });
    expect((await host.methods.list(project)).meta.total).toBe(methods.length);
  });

  it.each([
    ['a project without methods', {}],
    ['a project whose methods it might remove', { maxRemoved: 10 }],
  ])('without any request is refused for %s', async (_title, options) => {
    const refused = host.methods.upsertMany(freshProject(), [], { removeOthers: true, ...options });

    await expect(refused).rejects.toThrow(TooManyRemovalsError);
  });

  it.each([{ maxRemoved: 1 }, { maxRemoved: 1, dryRun: true }, { maxRemoved: 0 }])(
    'beyond maxRemoved is refused before anything is written %j',
    async (options) => {
      const project = freshProject();
      const { methods } = await host.methods.upsertMany(project, [ground, express]);
      const requests = [saver];

      const refused = host.methods.upsertMany(project, requests, { removeOthers: true, ...options });

      const error = await refused.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        wouldRemove: 2,
        maxRemoved: options.maxRemoved,
        problem: { would_remove: 2, max_removed: options.maxRemoved },
      });
      expect((await host.methods.list(project)).data).toEqual(methods.toReversed());
    },
  );

  it('that removes maxRemoved methods is done, and maxRemoved alone removes nothing', async () => {
    const project = freshProject();
    await host.methods.upsertMany(project, [ground, express]);

    const kept = await host.methods.upsertMany(project, [saver], { maxRemoved: 0 });
    const { removed } = await host.methods.upsertMany(project, [saver], {
      removeOthers: true,
      maxRemoved: 2,
    });

    expect([kept.removed, removed.length]).toEqual([[], 2]);
  });

  it("leaves the caller's transaction usable when it is refused", async () => {
    const project = freshProject();

    await host.dataSource.transaction(async (manager) => {
      const refused = host.methods.upsertMany(project, [], { removeOthers: true, manager });
      await expect(refused).rejects.toThrow(TooManyRemovalsError);
      await host.methods.create(project, ground, { manager });
    });

    expect((await host.methods.list(project)).meta.total).toBe(1);
  });
});

describe('an option of the wrong type', () => {
  const host = mounted();

  it.each<[option: string, value: unknown]>([
    ['removeOthers', 'yes'],
    ['removeOthers', null],
    ['dryRun', 1],
    ['dryRun', 'false'],
    ['maxRemoved', -1],
    ['maxRemoved', 1.5],
    ['maxRemoved', '5'],
    ['maxRemoved', Number.NaN],
  ])('is a TypeError that names it: %s %j', async (option, value) => {
    const project = freshProject();
    const options = { [option]: value } as UpsertManyOptions;

    const refused = host.methods.upsertMany(project, [ground], options);

    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(`"${option}"`);
    expect((await host.methods.list(project)).data).toEqual([]);
  });

  it('is a TypeError for etags and for the dry run of adoptDefaults, too', async () => {
    const project = freshProject();
    const { id, etag } = await host.methods.create(project, ground);
    const asText = { etags: etag as never };

    await expect(host.methods.update(project, id, ground, asText)).rejects.toThrow(TypeError);
    await expect(host.methods.remove(project, id, asText)).rejects.toThrow('"etags"');
    await expect(host.methods.adoptDefaults(project, { dryRun: 0 as never })).rejects.toThrow('"dryRun"');
  });
});

describe('upsertRequestOf', () => {
  const host = mounted();
  const project = freshProject();

  it('copies the stored values of a project, and the copy inherits as the original does', async () => {
    await host.methods.upsertMany('default', [
      { ...ground, carrier_label: 'United Parcel', sort_order: 7, meta: { days: 3 } },
    ]);
    await host.methods.upsertMany(project, [
      { ...ground, method_label: 'Own', use_default: true, is_active: false },
      { ...express, meta: { days: [1, 2] }, sort_order: -4 },
    ]);
    const { data } = await host.methods.list(project);
    const requests = data.map(upsertRequestOf);

    const again = await host.methods.upsertMany(project, requests);
    const copy = await host.methods.upsertMany(freshProject(), requests);

    expect([again.unchanged.length, again.changes]).toEqual([2, []]);
    const made = { id: '', project_id: '', created_at: '', updated_at: '' };
    const values = (method: ShippingMethodDto): ShippingMethodDto => ({ ...method, ...made });
    expect(copy.methods.map(values)).toEqual(data.map(values));
    expect(requests).toMatchObject([{ ...express }, { method_label: 'Own', carrier_label: null, meta: {} }]);
  });

  it('gives a request that can be changed without changing the method', async () => {
    const method = await host.methods.create(freshProject(), { ...saver, meta: { days: [1] } });

    const request = upsertRequestOf(method);
    Object.assign(request.meta ?? {}, { days: 2 });

    expect(method.meta).toEqual({ days: [1] });
  });
});
