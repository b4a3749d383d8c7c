import { Worker } from 'node:worker_threads';
import { Test } from '@nestjs/testing';
import { ShippingMethod, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { embeddedPostgresOptions, embeddedTypeOrmModule, expectNoSchemaDrift } from 'nestjs-shipping/testing';
import {
  Column,
  DataSource,
  Entity,
  type EntitySubscriberInterface,
  EventSubscriber,
  type InsertEvent,
  JoinColumn,
  ManyToOne,
  type MigrationInterface,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type QueryRunner,
} from 'typeorm';
import { afterEach, describe, expect, it, vi } from 'vitest';

@Entity({ name: 'note' })
class Note {
  @PrimaryColumn({ type: 'integer' })
  id!: number;
}

@Entity({ name: 'parcel' })
class Parcel {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column({ name: 'project_id', type: 'varchar', length: 64, collation: 'C' })
  projectId!: string;

  @Column({ name: 'method_id', type: 'uuid' })
  methodId!: string;

  @ManyToOne(() => ShippingMethod)
  @JoinColumn([
    { name: 'project_id', referencedColumnName: 'projectId' },
    { name: 'method_id', referencedColumnName: 'id' },
  ])
  method!: object;
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

it('embeddedPostgresOptions() lets the process end, although nobody has used the database', async () => {
  const unref = vi.spyOn(Worker.prototype, 'unref');

  await embeddedPostgresOptions();

  expect(unref).toHaveBeenCalledOnce();
  unref.mockRestore();
});

describe('embeddedTypeOrmModule()', () => {
  it('takes entities and migrations of the host, even as objects of a namespace import', async () => {
    const [entities, migrations] = [{ Note }, { CreateNote }];
    const testing = await Test.createTestingModule({
      imports: [embeddedTypeOrmModule({ entities, migrations }), ShippingModule.forRoot()],
    }).compile();
    await testing.init();
    const notes = testing.get(DataSource).getRepository(Note);

    await notes.insert({ id: 1 });

    expect(await notes.count()).toBe(1);
    expect((await testing.get(ShippingMethodsService).list('p')).meta.total).toBe(0);
    await testing.close();
  });

  it('makes the tables of a host that has no migrations, with its uuids and its keys to our tables', async () => {
    const testing = await Test.createTestingModule({
      imports: [embeddedTypeOrmModule({ entities: [Parcel], synchronize: true }), ShippingModule.forRoot()],
    }).compile();
    const dataSource = testing.get(DataSource);
    const form = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };
    const method = await testing.get(ShippingMethodsService).create('p', form);

    const { id } = await dataSource.manager.save(Parcel, { projectId: 'p', methodId: method.id });

    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    await expectNoSchemaDrift(dataSource);
    expect(dataSource.getMetadata(Parcel).synchronize).toBe(true);
    expect((await dataSource.driver.createSchemaBuilder().log()).upQueries).toEqual([]);
    await testing.close();
  });

  it('runs migrations that call uuid_generate_v4()', async () => {
    class CreateParcel1900000000000 implements MigrationInterface {
      async up(runner: QueryRunner): Promise<void> {
        await runner.query('CREATE TABLE parcel (id uuid PRIMARY KEY DEFAULT uuid_generate_v4())');
      }

      async down(): Promise<void> {}
    }

    const testing = await Test.createTestingModule({
      imports: [embeddedTypeOrmModule({ entities: [Parcel], migrations: [CreateParcel1900000000000] })],
    }).compile();

    expect(
      await testing.get(DataSource).query('INSERT INTO parcel DEFAULT VALUES RETURNING id'),
    ).toHaveLength(1);
    await testing.close();
  });

  it('fails within the time of a test if a subscriber needs a second connection', async () => {
    @EventSubscriber()
    class Counting implements EntitySubscriberInterface {
      async afterInsert({ connection }: InsertEvent<Note>): Promise<void> {
        await connection.query('SELECT count(*) FROM note');
      }
    }
    const settings = { entities: [Note], migrations: [CreateNote], subscribers: [Counting] };
    const testing = await Test.createTestingModule({ imports: [embeddedTypeOrmModule(settings)] }).compile();
    const before = performance.now();

    const saved = testing.get(DataSource).manager.save(Note, { id: 1 });

    await expect(saved).rejects.toThrow('timeout exceeded when trying to connect');
    expect(performance.now() - before).toBeLessThan(5_000);
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
      imports: [embeddedTypeOrmModule({ migrations: [Broken1900000000000] })],
    }).compile();

    await expect(start).rejects.toThrow('No such column');
  });
});

describe('fake timers of a test', () => {
  afterEach(() => vi.useRealTimers());

  it('do not stop the services', async () => {
    const testing = await Test.createTestingModule({
      imports: [embeddedTypeOrmModule(), ShippingModule.forRoot()],
    }).compile();
    const methods = testing.get(ShippingMethodsService);

    vi.useFakeTimers({ toFake: ['setImmediate', 'setTimeout', 'Date'] });
    const found = await methods.findByCodes('p', { carrier_code: 'ups', method_code: '03' });
    vi.useRealTimers();

    expect(found).toBeNull();
    await testing.close();
  });
});
