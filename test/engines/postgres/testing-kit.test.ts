import { Test } from '@nestjs/testing';
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
  it('takes entities and migrations of the host, even as objects of a namespace import', async () => {
    const [entities, migrations] = [{ Note }, { CreateNote }];
    const testing = await Test.createTestingModule({
      imports: [embeddedTypeOrm({ entities, migrations }), ShippingModule.forRoot()],
    }).compile();
    await testing.init();
    const notes = testing.get(DataSource).getRepository(Note);

    await notes.insert({ id: 1 });

    expect(await notes.count()).toBe(1);
    expect((await testing.get(ShippingMethods).list('p')).meta.total).toBe(0);
    await testing.close();
  });

  it('reports a mistake in a migration of the host at once', async () => {
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
