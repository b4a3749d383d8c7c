import { setTimeout as delay } from 'node:timers/promises';
import { MethodInUseError } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshProject } from '../support/client.js';
import { type EngineDatabase, sqlite, titleOf } from './databases.js';
import { type EngineHost, hostOn } from './host.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

describe.skipIf(sqlite.missing !== undefined)(`a host's transaction on ${titleOf(sqlite)}`, () => {
  let database: EngineDatabase;
  let host: EngineHost;
  beforeAll(async () => {
    database = await sqlite.create();
    host = await hostOn(database);
    await host.dataSource.query('CREATE TABLE note (n text)');
  });
  afterAll(async () => {
    await host?.close();
    await database?.drop();
  });

  const notesOf = async (project: string): Promise<number> =>
    (await host.dataSource.query<object[]>('SELECT n FROM note WHERE n = ?', [project])).length;

  it('numbers an event without reading all events', async () => {
    const plan = await host.dataSource.query<{ detail: string }[]>(
      'EXPLAIN QUERY PLAN SELECT COALESCE(MAX(seq), 0) + 1 FROM shipping_order_event',
    );

    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH shipping_order_event USING COVERING INDEX uq_shipping_order_event_seq',
    ]);
  });

  it("that ends in RAISE(ROLLBACK) of a host's trigger commits nothing that comes after it", async () => {
    const project = freshProject();
    await host.dataSource.query(
      `CREATE TRIGGER undo BEFORE INSERT ON shipping_method WHEN NEW.project_id = '${project}'
       BEGIN SELECT RAISE(ROLLBACK, 'no'); END`,
    );

    const outer = host.dataSource.transaction(async (manager) => {
      await manager.query('INSERT INTO note VALUES (?)', [project]);
      const inner = manager.transaction((nested) =>
        host.methods.create(project, ground, { manager: nested }),
      );
      await inner.catch(() => undefined);
      await manager.query('INSERT INTO note VALUES (?)', [project]);
    });

    await expect(outer).rejects.toThrow('The transaction was rolled back: a statement in it had failed.');
    expect(await notesOf(project)).toBe(0);
    await host.dataSource.query('DROP TRIGGER undo');
  });

  it.each(['UPDATE', 'DELETE'])(
    "in which a host's trigger refuses an %s gets its error, not that of a foreign key",
    async (event) => {
      const project = freshProject();
      const { id } = await host.methods.create(project, ground);
      await host.dataSource.query(
        `CREATE TRIGGER refusal BEFORE ${event} ON shipping_method WHEN OLD.project_id = '${project}'
       BEGIN SELECT RAISE(ABORT, 'not now'); END`,
      );

      const call =
        event === 'UPDATE'
          ? host.methods.update(project, id, { ...ground, sort_order: 1 })
          : host.methods.remove(project, id);

      await expect(call).rejects.toThrow('not now');
      await host.dataSource.query('DROP TRIGGER refusal');
    },
  );

  it("in which a host's trigger keeps a method does not count it as removed", async () => {
    const project = freshProject();
    const { id } = await host.methods.create(project, ground);
    await host.dataSource.query(
      `CREATE TRIGGER kept BEFORE DELETE ON shipping_method WHEN OLD.project_id = '${project}'
       BEGIN SELECT RAISE(IGNORE); END`,
    );

    await expect(host.methods.remove(project, id)).rejects.toMatchObject({ code: 'database_unavailable' });
    await host.dataSource.query('DROP TRIGGER kept');
  });

  it.each(['NO ACTION', 'RESTRICT'])(
    "in which a host's foreign key refuses a removal gets method_in_use: %s",
    async (action) => {
      const project = freshProject();
      const { id } = await host.methods.create(project, ground);
      await host.dataSource.query(
        `CREATE TABLE cart (project_id text, method_id text,
         FOREIGN KEY (project_id, method_id) REFERENCES shipping_method (project_id, id) ON DELETE ${action})`,
      );
      await host.dataSource.query('INSERT INTO cart VALUES (?, ?)', [project, id]);

      await expect(host.methods.remove(project, id)).rejects.toThrow(MethodInUseError);
      await host.dataSource.query('DROP TABLE cart');
    },
  );
});

describe.skipIf(sqlite.missing !== undefined)(`onChange without its manager on ${titleOf(sqlite)}`, () => {
  let database: EngineDatabase;
  let host: EngineHost;
  let onChange = (): Promise<unknown> => Promise.resolve();
  beforeAll(async () => {
    database = await sqlite.create();
    host = await hostOn(database, {
      onChange: async () => {
        await onChange();
      },
    });
  });
  afterAll(async () => {
    await host?.close();
    await database?.drop();
  });

  it('reads a project that another call reads, and neither waits for ever', async () => {
    const [project, other] = [freshProject(), freshProject()];
    await host.methods.create(other, ground);
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const listing = begun.then(() => host.methods.list(other));
    onChange = async () => {
      begin();
      await delay(50);
      return host.methods.list(other);
    };

    const created = await host.methods.create(project, ground);

    expect(created).toMatchObject(ground);
    expect((await listing).meta.total).toBe(1);
  });

  it('reads what nobody else may see yet', async () => {
    const project = freshProject();
    await host.methods.findActive(project);
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const listing = begun.then(() => host.methods.list(project));
    const seen: number[] = [];
    onChange = async () => {
      const mine = host.methods.list(project);
      begin();
      seen.push((await mine).meta.total);
      throw new Error('no');
    };

    await expect(host.methods.create(project, ground)).rejects.toThrow('no');

    expect(seen).toEqual([1]);
    expect((await listing).meta.total).toBe(0);
  });
});
