import { ShippingMethod } from 'nestjs-shipping';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { everyCall, outcomesOfEveryCall, type RoleDatabase, withRole } from './application-role.js';
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
      await expect(
        host.dataSource.query(
          `ALTER TABLE ${host.dataSource.getMetadata(ShippingMethod).tablePath} ADD note int`,
        ),
      ).rejects.toThrow(/must be owner|denied/);
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

it.skipIf(postgres.missing !== undefined)(
  `a role on ${titleOf(postgres)} that may not use the schema is told where its rights are`,
  async () => {
    const database = await withRole(await postgres.create());

    const starting = database.start();

    await expect(starting).rejects.toThrow(/permission denied for schema .*rights in docs\/dba\.md\.$/);
    await database.close();
  },
);
