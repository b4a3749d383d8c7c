import { Test } from '@nestjs/testing';
import { getDataSourceToken } from '@nestjs/typeorm';
import { ShippingMethods, ShippingModule } from 'nestjs-shipping';
import { embeddedTypeOrm } from 'nestjs-shipping/testing';
import { DataSource, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner } from 'typeorm';
import { afterEach, describe, expect, it, vi } from 'vitest';

@Entity({ name: 'note' })
class Note {
  @PrimaryColumn({ type: 'integer' })
  id!: number;
}

class CreateNote implements MigrationInterface {
  name = 'CreateNote1900000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE note (id integer PRIMARY KEY)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE note');
  }
}

describe('embeddedTypeOrm()', () => {
  it('gives each application that imports it a database of its own, which ends with that application', async () => {
    const database = embeddedTypeOrm();
    const start = () => Test.createTestingModule({ imports: [database, ShippingModule.forRoot()] }).compile();
    const [first, second] = [await start(), await start()];
    const method = { carrier_code: 'ups', method_code: '03', method_label: 'Ground' };
    await first.get(ShippingMethods).create('p', method);

    await first.close();

    expect((await second.get(ShippingMethods).list('p')).meta.total).toBe(0);
    await second.close();
  });

  it.each<[list: string, of: <Class>(name: string, one: Class) => Class[] | Record<string, Class>]>([
    ['a list', (_name, one) => [one]],
    // Such as `import * as entities from '../entities.js'`.
    ['an object', (name, one) => ({ [name]: one })],
  ])("takes the host's entities and migrations as %s", async (_list, of) => {
    const testing = await Test.createTestingModule({
      imports: [
        embeddedTypeOrm({ entities: of('Note', Note), migrations: of('CreateNote', CreateNote) }),
        ShippingModule.forRoot(),
      ],
    }).compile();
    await testing.init();
    const notes = testing.get(DataSource).getRepository(Note);

    await notes.insert({ id: 1 });

    expect(await notes.count()).toBe(1);
    expect((await testing.get(ShippingMethods).list('p')).meta.total).toBe(0);
    await testing.close();
  });

  it('with a name is the DataSource of that name, and ends with the application too', async () => {
    const testing = await Test.createTestingModule({
      imports: [embeddedTypeOrm({ name: 'shop' }), ShippingModule.forRoot({ dataSource: 'shop' })],
    }).compile();
    await testing.init();
    const dataSource = testing.get<DataSource>(getDataSourceToken('shop'));

    expect((await testing.get(ShippingMethods).list('p')).meta.total).toBe(0);
    await testing.close();
    expect(dataSource.isInitialized).toBe(false);
  });

  it('tells a mistake in a migration of the host at once', async () => {
    class Broken1900000000000 implements MigrationInterface {
      async up(): Promise<void> {
        await Promise.reject(new Error('No such column'));
      }

      async down(): Promise<void> {}
    }

    const start = Test.createTestingModule({
      imports: [embeddedTypeOrm({ migrations: [Broken1900000000000] })],
    }).compile();

    await expect(start).rejects.toThrow('No such column');
  });
});

describe('fake timers of a test', () => {
  afterEach(() => vi.useRealTimers());

  it('do not stop the services', async () => {
    const testing = await Test.createTestingModule({
      imports: [embeddedTypeOrm(), ShippingModule.forRoot()],
    }).compile();
    const methods = testing.get(ShippingMethods);

    vi.useFakeTimers({ toFake: ['setImmediate', 'setTimeout', 'Date'] });
    const found = await methods.findByCodes('p', 'ups', '03');
    vi.useRealTimers();

    expect(found).toBeNull();
    await testing.close();
  });
});
