import { TypeOrmModule } from '@nestjs/typeorm';
import { ShippingMethod, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { Entity, PrimaryColumn } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, typeOrm } from './host.js';
import { ground } from '../support/client.js';

/** A host's own entity, on any engine. */
@Entity({ name: 'note' })
class Note {
  @PrimaryColumn({ type: 'integer' })
  id!: number;
}

const sqlite = { type: 'sqljs', retryAttempts: 1 } as const;

describe('beside another engine', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database?.close());

  it.each([
    ['by autoLoadEntities', { autoLoadEntities: true }],
    ['by autoLoadEntities, which synchronizes', { autoLoadEntities: true, synchronize: true }],
    ['in its list of entities', { entities: [ShippingMethod] }],
    ['not at all', { entities: [] }],
  ])(
    'a default DataSource that knows our entities %s is refused, and the error says what to do',
    async (_how, options) => {
      const boot = compiled([TypeOrmModule.forRoot({ ...sqlite, ...options }), ShippingModule.forRoot()]);

      const error = await boot.then(String, ({ message }: Error) => message);

      expect(error).toMatch(/knows the DataSource types.*"sqljs"/);
      expect(error).toContain("ShippingModule.forRoot({ dataSource: 'name' })");
    },
  );

  it('a named PostgreSQL DataSource serves the module, and the default one stays as it is', async () => {
    const testing = await compiled([
      TypeOrmModule.forRoot({ ...sqlite, entities: [Note], synchronize: true }),
      typeOrm(database, 'shop'),
      ShippingModule.forRoot({ dataSource: 'shop' }),
    ]);
    await testing.init();

    expect((await testing.get(ShippingMethodsService).create('p', ground)).version).toBe(1);
    await testing.close();
  });
});
