import { readFileSync } from 'node:fs';
import { shippingEntities } from 'nestjs-shipping';
import { afterEach, describe, expect, it } from 'vitest';
import { mariadb, mysql, opened, pglite, postgres, sqlite, titleOf } from './databases.js';

// docs/leaving.md shows this SQL.

const sql = readFileSync(new URL('../../docs/sql/drop-tables.sql', import.meta.url), 'utf8');
const statements = sql.split(';\n').filter((statement) => statement !== '');

for (const engine of [pglite, postgres, mariadb, mysql, sqlite]) {
  describe.skipIf(engine.missing !== undefined)(`leaving, on ${titleOf(engine)}`, () => {
    let close: () => Promise<void>;
    afterEach(() => close?.());

    it('drops our tables once, and changes nothing on a database without them', async () => {
      const database = await engine.create();
      const { schema } = database.options as { schema?: string };
      const path = schema ? { extra: { options: `-c search_path=${schema}` } } : {};
      const dataSource = await opened(database, path);
      close = async () => {
        await dataSource.destroy();
        await database.drop();
      };
      const tables = async (): Promise<boolean[]> => {
        const runner = dataSource.createQueryRunner();
        const found: boolean[] = [];
        for (const entity of shippingEntities)
          found.push(await runner.hasTable(dataSource.getMetadata(entity).tablePath));
        await runner.release();
        return found;
      };
      expect(await tables()).toEqual([true, true, true]);

      for (const _time of ['first', 'second'])
        for (const statement of statements) await dataSource.query(statement);

      expect(await tables()).toEqual([false, false, false]);
      expect(await dataSource.query('select * from migrations')).toEqual([]);
    });
  });
}
