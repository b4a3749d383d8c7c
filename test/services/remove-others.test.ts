import { MethodInUseError, TooManyRemovalsError } from 'nestjs-shipping';
import { beforeAll, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { engine } from '../support/database.js';
import { methodsOf } from '../support/changes.js';

const express = { carrier_code: 'ups', method_code: '01', method_label: 'UPS Express' };
const saver = { carrier_code: 'ups', method_code: '65', method_label: 'UPS Saver' };

describe('removeOthers', () => {
  const host = mounted();
  beforeAll(() => engine.createCart(host.dataSource.manager));

  const listed = async (project: string): Promise<string[]> =>
    (await host.methods.list(project)).data.map(({ method_code }) => method_code);

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
    'is refused beyond maxRemoved before anything is written %j',
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

  it('may remove maxRemoved methods, and none when it is false', async () => {
    const project = freshProject();
    await host.methods.upsertMany(project, [ground, express]);

    const kept = await host.methods.upsertMany(project, [saver], { removeOthers: false, maxRemoved: 0 });
    const { changes } = await host.methods.upsertMany(project, [saver], {
      removeOthers: true,
      maxRemoved: 2,
    });

    expect(kept.changes).toMatchObject([{ type: 'created' }]);
    expect(methodsOf(changes, 'removed')).toHaveLength(2);
  });

  it.each([{ maxRemoved: 5 }, { maxRemoved: 5, removeOthers: undefined }])(
    'must stand beside maxRemoved: %j is a TypeError',
    async (options) => {
      const project = freshProject();

      const refused = host.methods.upsertMany(project, [ground], options);

      await expect(refused).rejects.toThrow(
        'The option "maxRemoved" must be an integer from 0, beside removeOthers.',
      );
      await expect(refused).rejects.toThrow(TypeError);
      expect(await listed(project)).toEqual([]);
    },
  );

  it('changes nothing while your foreign key refers to a method that it would remove', async () => {
    const project = freshProject();
    const { methods: stored } = await host.methods.upsertMany(project, [ground, express]);
    await engine.putIntoCart(host.dataSource.manager, project, stored[0]?.id ?? '');

    const replacing = host.methods.upsertMany(project, [saver], { removeOthers: true });

    await expect(replacing).rejects.toThrow(MethodInUseError);
    expect(await listed(project)).toEqual(['01', '03']);
  });

  it('keeps a method in use that a request names, and removes the others', async () => {
    const project = freshProject();
    const { methods: stored } = await host.methods.upsertMany(project, [ground, express]);
    await engine.putIntoCart(host.dataSource.manager, project, stored[0]?.id ?? '');

    const { changes } = await host.methods.upsertMany(project, [ground, saver], { removeOthers: true });

    expect(methodsOf(changes, 'removed')).toMatchObject([express]);
    expect(await listed(project)).toEqual(['03', '65']);
  });
});
