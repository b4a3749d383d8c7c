import { ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { compiled, typeOrm } from '../../embedding/host.js';
import { serverUrl, type TestDatabase, testDatabase } from '../../support/database.js';
import { type PostgresOptions } from '../../support/engines/postgres.js';

describe('a DataSource whose pg gives up statements by itself', () => {
  let database: TestDatabase | undefined;
  let dataSource: DataSource | undefined;
  afterEach(async () => {
    await dataSource?.destroy();
    await database?.close();
  });

  type Place = [string, (options: PostgresOptions) => Partial<PostgresOptions>];
  const inExtra: Place = ['extra', ({ extra }) => ({ extra: { ...extra, query_timeout: 4_000 } })];
  const inQuery: Place = ['the url', ({ url }) => ({ url: `${url}?query_timeout=4000` })];

  it.each(serverUrl ? [inExtra, inQuery] : [inExtra])(
    'is refused at boot with the remedy: query_timeout in %s',
    async (_where, change) => {
      database = await testDatabase();
      const given = database.options as PostgresOptions;
      const options = { ...given, ...change(given) } as DataSourceOptions;
      if (database.isEmbedded) await database.dataSource.destroy();
      dataSource = await new DataSource(options).initialize();
      const testing = await compiled([typeOrm({ options, dataSource }), ShippingModule.forRoot()]);

      await expect(testing.init()).rejects.toThrow(/query_timeout.*statement_timeout.*dataSource: 'name'/s);
    },
  );

  // The embedded database has one connection.
  it.skipIf(!serverUrl)('does not matter when the module has a DataSource of its own', async () => {
    database = await testDatabase();
    const options = { ...database.options, ...inQuery[1](database.options as PostgresOptions) };
    dataSource = await new DataSource(options as DataSourceOptions).initialize();
    const testing = await compiled([
      typeOrm({ dataSource }),
      typeOrm({ dataSource: database.dataSource }, 'shipping'),
      ShippingModule.forRoot({ dataSource: 'shipping' }),
    ]);

    await testing.init();

    expect(await testing.get(ShippingMethods).findActive('p')).toEqual([]);
  });
});
