import { MethodInUseError, ShippingMethod, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { expect, it } from 'vitest';
import { distribute } from '../support/citus.js';
import { ground } from '../support/client.js';
import { testDatabase } from '../support/database.js';
import { ShopOrder } from '../guide/shop-order.js';
import { compiled, typeOrm } from './host.js';

/** docs/reference-database.md shows these statements. SQLite compares all texts as we do. */
const ourCollation: Record<string, string | undefined> = {
  postgres: 'ALTER TABLE shop_order ALTER project_id TYPE varchar(64) COLLATE "C"',
  mariadb:
    'ALTER TABLE shop_order MODIFY project_id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL',
  mysql:
    'ALTER TABLE shop_order MODIFY project_id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL',
};

it("TypeORM generates a foreign key from a host's old table whose column has our collation", async () => {
  const database = await testDatabase();
  try {
    await database.dataSource.query(
      `CREATE TABLE ${database.table('shop_order')} (project_id varchar(64) NOT NULL, order_id varchar(64) NOT NULL,
         PRIMARY KEY (project_id, order_id))`,
    );
    const collate = ourCollation[database.options.type];
    if (collate) await database.dataSource.query(collate.replace('shop_order', database.table('shop_order')));
    const { dataSource } = database;
    const methodTable = dataSource.getMetadata(ShippingMethod).tablePath;
    await distribute(dataSource.manager, database.table('shop_order'), methodTable);
    await dataSource.destroy();
    dataSource.setOptions({ entities: [...(dataSource.options.entities as []), ShopOrder] });
    await dataSource.initialize();
    const generated = async (): Promise<string[]> => {
      const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
      return upQueries.map(({ query }) => query);
    };

    const statements = await generated();
    for (const statement of statements) await dataSource.query(statement);

    expect(statements.join('\n')).not.toMatch(/DROP COLUMN|(ALTER|CHANGE) (COLUMN )?.project_id/);
    expect(await generated()).toEqual([]);
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot({ http: false })]);
    const methods = testing.get(ShippingMethodsService);
    const { id } = await methods.create('acme', ground);
    await dataSource.manager.insert(ShopOrder, { projectId: 'acme', orderId: '1', methodId: id });
    await expect(methods.remove('acme', id)).rejects.toThrow(MethodInUseError);
  } finally {
    await database.close();
  }
});
