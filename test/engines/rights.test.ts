import { type EntityManager } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshProject, ground } from '../support/client.js';
import { type RoleDatabase, withRole } from './application-role.js';
import { mariadb, mysql, postgres, titleOf } from './databases.js';
import { type EngineHost } from './host.js';

// docs/dba.md shows this SQL.

const engines = [
  {
    engine: postgres,
    file: 'sql/rights-postgres',
    unreadable: /may not read it\. Grant the role the rights in docs\/dba\.md\.$/,
  },
  {
    engine: mariadb,
    file: 'sql/rights-mariadb',
    unreadable: /has no table .*, or its user has no right on it\./,
  },
  {
    engine: mysql,
    file: 'sql/rights-mariadb',
    unreadable: /has no table .*, or its user has no right on it\./,
  },
];

for (const { engine, file, unreadable } of engines)
  describe.skipIf(engine.missing !== undefined)(`the role of the application on ${titleOf(engine)}`, () => {
    let database: RoleDatabase;
    let host: EngineHost | undefined;
    beforeEach(async () => {
      database = await withRole(await engine.create());
    });
    afterEach(async () => {
      await host?.close();
      host = undefined;
      await database?.close();
    });

    it('makes every call with the rights in the page, and changes no table', async () => {
      await database.run(file);

      host = await database.start();

      expect(await everyCall(host)).toEqual(outcomesOfEveryCall);
      await expect(host.dataSource.query(`ALTER TABLE shipping_method ADD note int`)).rejects.toThrow();
    });

    it('is told about its rights when it has none, and no message advises to drop a table', async () => {
      // The role may use the schema or the database, but not our tables.
      await (engine === postgres
        ? database.owner.query(`GRANT USAGE ON SCHEMA ${database.place} TO ${database.role}`)
        : database.owner.query(`GRANT CREATE TEMPORARY TABLES ON *.* TO ${database.role}`));

      const message = await database.start().then(
        () => 'it started',
        (error: Error) => error.message,
      );

      expect(message).toMatch(unreadable);
      expect(message).not.toMatch(/\bdrop\b/i);
    });
  });

const outcomesOfEveryCall = {
  methods: 2,
  inherited: 'Default',
  changed: 3,
  removed: 3,
  history: 2,
  redacted: 1,
  forgotten: 2,
  left: 1,
};

async function everyCall({ methods, events, dataSource }: EngineHost): Promise<typeof outcomesOfEveryCall> {
  const [projectId, orderId] = [freshProject(), 'o'];
  await methods.create('default', { ...ground, method_label: 'Default' });
  const { id } = await methods.create(projectId, { ...ground, use_default: true });
  await methods.upsert(projectId, { ...ground, method_code: 'express' });
  const { data } = await methods.list(projectId);
  const locked = await dataSource.transaction((manager: EntityManager) =>
    methods.findOrFail(projectId, id, { manager, lock: true }),
  );
  const { changes } = await methods.upsertMany(
    projectId,
    ['03', 'express', 'third'].map((method_code) => ({ ...ground, method_code, sort_order: 7 })),
  );
  await methods.adoptDefaults(projectId);
  const record = (type: string, at = orderId) =>
    events.record({ projectId, orderId: at }, { type, message: 'Ada', dedupe_key: 'once' });
  await record('order.placed');
  await record('order.placed');
  await events.record({ projectId, orderId }, { type: 'order.paid' });
  await record('order.placed', 'other');
  const history = await events.findAll({ projectId, orderId });
  return {
    methods: data.length,
    inherited: locked.method_label,
    changed: changes.length,
    history: history.length,
    redacted: await events.redactHistory({ projectId, orderId }),
    forgotten: await events.removeHistory({ projectId, orderId }),
    left: await events.removeHistories(projectId),
    removed: await methods.removeAll(projectId),
  };
}
