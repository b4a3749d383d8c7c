import { type ShippingMethodChange, ShippingMethods } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { Client, freshProject } from '../support/client.js';
import { engine, onlyWhere } from '../support/database.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe('writes that come at the same time', () => {
  let app: TestApp;
  let methods: ShippingMethods;
  beforeAll(async () => {
    app = await testApp();
    methods = app.nest.get(ShippingMethods);
  });
  afterAll(() => app?.close());

  it('create their own methods, which are answered, counted and reported once each', async () => {
    const shops = Array.from({ length: 5 }, () => new Client(app.origin, freshProject()));
    const changes: ShippingMethodChange[] = [];
    const listening = methods.changes.subscribe((change) => changes.push(change));

    const answers = await Promise.all(
      Array.from({ length: 250 }, async (_, n) => {
        // Each pair of codes is sent twice, and some methods have use_default.
        const method = { ...ground, method_code: `m${n % 125}`, sort_order: n, use_default: n % 25 === 0 };
        return { n, answer: await shops[n % 5]?.create(method) };
      }),
    );
    listening.unsubscribe();

    const created = answers.filter(({ answer }) => answer?.status === 201);
    const refused = answers.filter(({ answer }) => answer?.status === 409);
    expect([created.length, refused.length]).toEqual([125, 125]);
    for (const { n, answer } of created) expect(answer?.body).toMatchObject({ sort_order: n, version: 1 });
    expect(new Set(refused.map(({ answer }) => answer?.body['existing_id']))).toEqual(
      new Set(created.map(({ answer }) => answer?.body.id)),
    );
    expect(changes.map(({ after }) => after?.id).toSorted()).toEqual(
      created.map(({ answer }) => answer?.body.id).toSorted(),
    );
    for (const shop of shops) expect((await shop.list()).body.meta.total).toBe(25);
  });

  it('do not share an error that one of them gets from a trigger of the host', async () => {
    const shop = new Client(app.origin, freshProject());
    await shop.create(ground);
    const allow = await engine.refuse(app.database.dataSource.manager, {
      table: 'shipping_method',
      on: 'INSERT',
      where: { carrier_code: 'cursed' },
      message: 'cursed',
    });

    const outcomes = await Promise.allSettled(
      ['dhl', 'cursed', 'gls'].map((carrier_code) =>
        methods.create(shop.project, { ...ground, carrier_code }),
      ),
    );

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await shop.list()).body.meta.total).toBe(3);
    await allow();
  });

  it('do not share a violation of a foreign key either, which a trigger causes in the table of the host', async () => {
    const { manager } = app.database.dataSource;
    const [known, unknown] = [freshProject(), freshProject()];
    const ids = [(await methods.create(known, ground)).id, (await methods.create(unknown, ground)).id];
    await engine.createTenants(manager, [known]);
    const endAudit = await engine.auditUpdates(manager);

    const outcomes = await Promise.allSettled([
      methods.update(known, ids[0] ?? '', { ...ground, sort_order: 1 }),
      methods.update(unknown, ids[1] ?? '', { ...ground, sort_order: 1 }),
    ]);
    await endAudit();

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  onlyWhere('changingTriggers', () => {
    it('inherit as they were stored, also if a trigger of the host decides that', async () => {
      const project = freshProject();
      const { id } = await methods.create(project, { ...ground, use_default: true });
      const endRule = await engine.keepUseDefault(app.database.dataSource.manager);

      const updated = await methods.update(project, id, { ...ground, use_default: false });
      await endRule();

      expect(updated.use_default).toBe(true);
      await methods.upsert('default', { ...ground, method_label: 'Default' });
      expect(await methods.find(project, id)).toMatchObject({ method_label: 'Default', use_default: true });
    });
  });

  it('change their own methods, in their own projects only', async () => {
    const [a = '', b = ''] = [freshProject(), freshProject()];
    const [inA, inB] = await Promise.all([a, b].map((project) => methods.create(project, ground)));
    const changes: ShippingMethodChange[] = [];
    const listening = methods.changes.subscribe((change) => changes.push(change));
    const label = (method_label: string) => ({ ...ground, method_label });

    const outcomes = await Promise.allSettled([
      methods.update(a, inA?.id ?? '', label('A')),
      methods.update(b, inB?.id ?? '', label('B')),
      methods.update(a, inB?.id ?? '', label('theirs')),
      methods.find(b, inA?.id.toUpperCase() ?? ''),
      methods.find(b, inB?.id.toUpperCase() ?? ''),
    ]);
    listening.unsubscribe();

    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(outcomes[4]).toMatchObject({ value: { id: inB?.id } });
    expect((await methods.find(a, inA?.id ?? '')).method_label).toBe('A');
    expect((await methods.find(b, inB?.id ?? '')).method_label).toBe('B');
    expect(
      changes.map(({ before, after }) => [before?.method_label, after?.method_label]).toSorted(),
    ).toEqual([
      ['UPS Ground', 'A'],
      ['UPS Ground', 'B'],
    ]);
  });

  it('to one method are made one after another, and none of them is lost', async () => {
    const project = freshProject();
    const { id } = await methods.create(project, ground);

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => methods.update(project, id, { ...ground, sort_order: n + 1 })),
    );

    expect(answers.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 2),
    );
    const last = answers.find(({ version }) => version === 21);
    expect(await methods.find(project, id)).toEqual(last);
  });

  it.each(['a new project', 'a project that has methods', 'a transaction'])(
    'create a method by one of several upserts, and lose the values of none: in %s',
    async (place) => {
      const project = freshProject();
      if (place === 'a project that has methods') await methods.create(project, ground);
      const codes = { ...ground, method_code: 'new' };
      const parts = [{ sort_order: 7 }, { is_active: false }, { meta: { a: 1 } }, { carrier_label: 'UPS' }];
      const changes: ShippingMethodChange[] = [];
      const listening = methods.changes.subscribe((change) => changes.push(change));
      const upserted = (manager?: EntityManager) =>
        Promise.all(parts.map((part) => methods.upsert(project, { ...codes, ...part }, { manager })));

      const answers = await (place === 'a transaction'
        ? app.database.dataSource.transaction(upserted)
        : upserted());
      listening.unsubscribe();

      const stored = await methods.findByCodes(project, 'ups', 'new');
      expect(stored).toMatchObject(Object.assign({ version: 4 }, ...parts));
      for (const [index, answer] of answers.entries()) expect(answer).toMatchObject(parts[index] ?? {});
      expect(changes.map(({ type }) => type)).toEqual(['created', 'updated', 'updated', 'updated']);
      expect(changes.at(-1)?.after).toEqual(stored);
    },
  );

  it('do not share a refusal: only the update to taken codes is refused', async () => {
    const project = freshProject();
    const [, express, economy] = await Promise.all(
      ['03', '07', '11'].map((method_code) => methods.create(project, { ...ground, method_code })),
    );

    const outcomes = await Promise.allSettled([
      methods.update(project, express?.id ?? '', ground),
      methods.update(project, economy?.id ?? '', { ...ground, method_code: '11', use_default: true }),
    ]);

    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { code: 'duplicate_method' } },
      { status: 'fulfilled', value: { version: 2, use_default: true } },
    ]);
    expect((await methods.list(project)).meta.total).toBe(3);
  });

  onlyWhere('severalConnections', () => {
    it('do not wait for a lock of another project, and succeed after a lock of their own', async () => {
      const [locked, free] = [freshProject(), freshProject()];
      const ids = [(await methods.create(locked, ground)).id, (await methods.create(free, ground)).id];
      let late: Promise<unknown> | undefined;

      await app.database.dataSource.transaction(async (manager) => {
        await methods.create(locked, { ...ground, method_code: 'in-transaction' }, { manager });
        late = Promise.all([
          methods.create(locked, { ...ground, method_code: 'late' }),
          methods.update(locked, ids[0] ?? '', { ...ground, sort_order: 1 }),
        ]);
        await Promise.all([
          methods.create(free, { ...ground, method_code: 'at once' }),
          methods.update(free, ids[1] ?? '', { ...ground, sort_order: 1 }),
        ]);
      });
      await late;

      expect((await methods.list(locked)).meta.total).toBe(3);
      expect((await methods.list(free)).meta.total).toBe(2);
    });
  });
});
