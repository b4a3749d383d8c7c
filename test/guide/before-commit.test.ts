import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  OrderEventsService,
  type ShippingMethodChange,
  ShippingMethodsService,
  ShippingModule,
} from 'nestjs-shipping';
import { embeddedTypeOrmModule } from 'nestjs-shipping/testing';
import {
  Column,
  DataSource,
  Entity,
  type EntityManager,
  type MigrationInterface,
  PrimaryGeneratedColumn,
  type QueryRunner,
} from 'typeorm';
import { afterEach, describe, expect, it } from 'vitest';
import { ground } from '../support/client.js';

// docs/guide/changes.md shows this code.

@Entity({ name: 'outbox' })
class Outbox {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: string;

  @Column({ type: 'json' })
  message!: object;
}

const withOutbox = ShippingModule.forRoot({
  beforeCommit: {
    change: async (change, manager) => {
      await manager.insert(Outbox, { message: { change } });
    },
    event: async (event, manager) => {
      await manager.insert(Outbox, { message: { event } });
    },
  },
});

/** Run it every few seconds, on any number of instances. @returns how many messages were sent */
async function deliver(dataSource: DataSource, send: (row: Outbox) => Promise<void>): Promise<number> {
  const sendFirst = async (manager: EntityManager): Promise<boolean> => {
    const lock = { mode: 'pessimistic_write' } as const;
    const [first] = await manager.find(Outbox, { order: { id: 'ASC' }, take: 1, lock });
    if (!first) return false;
    await send(first);
    await manager.delete(Outbox, first.id);
    return true;
  };
  let sent = 0;
  while (await dataSource.transaction('READ COMMITTED', sendFirst)) sent++;
  return sent;
}

@Entity({ name: 'audit' })
class Audit {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: string;

  @Column({ type: 'varchar', length: 64 })
  actor!: string;

  @Column({ type: 'varchar', length: 64 })
  what!: string;
}

@Injectable()
class AuditTrail {
  /** Filled by a middleware, from the token. */
  readonly actor = new AsyncLocalStorage<string>();

  async write({ type, before, after }: ShippingMethodChange, manager: EntityManager): Promise<void> {
    const { id = '' } = after ?? before ?? {};
    await manager.insert(Audit, { actor: this.actor.getStore() ?? 'system', what: `${type} ${id}` });
  }
}

@Module({ providers: [AuditTrail], exports: [AuditTrail] })
class AuditModule {}

const audited = ShippingModule.forRootAsync({
  imports: [AuditModule],
  inject: [AuditTrail],
  useFactory: (trail: AuditTrail) => ({
    beforeCommit: { change: (change, manager) => trail.write(change, manager) },
  }),
});

class CreateTables implements MigrationInterface {
  name = 'CreateOutboxAndAudit1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE outbox (id bigserial PRIMARY KEY, message json NOT NULL)');
    await runner.query('CREATE TABLE audit (id bigserial PRIMARY KEY, actor varchar(64), what varchar(64))');
  }

  async down(): Promise<void> {}
}

describe('beforeCommit.change', () => {
  let testing: TestingModule;
  afterEach(() => testing?.close());

  const start = async (mount: typeof withOutbox): Promise<ShippingMethodsService> => {
    testing = await Test.createTestingModule({
      imports: [embeddedTypeOrmModule({ entities: [Outbox, Audit], migrations: [CreateTables] }), mount],
    }).compile();
    await testing.init();
    return testing.get(ShippingMethodsService);
  };

  it('fills an outbox, whose rows are sent at least once', async () => {
    const methods = await start(withOutbox);
    const dataSource = testing.get(DataSource);
    const { id } = await methods.create('acme', ground);
    const undone = dataSource.transaction(async (manager) => {
      await methods.remove('acme', id, { manager });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    const placed = [{ projectId: 'acme', orderId: '1001' }, { type: 'order.placed' }] as const;
    await testing.get(OrderEventsService).record(...placed);
    const sent: object[] = [];
    const send = async ({ message }: Outbox): Promise<void> => void sent.push(message);

    const failing = deliver(dataSource, () => Promise.reject(new Error('The receiver is down.')));
    await expect(failing).rejects.toThrow('The receiver is down.');
    const first = await deliver(dataSource, send);
    const second = await deliver(dataSource, send);

    expect([first, second]).toEqual([2, 0]);
    expect(sent).toMatchObject([
      { change: { type: 'created', before: null, after: ground } },
      { event: { type: 'order.placed', order_id: '1001' } },
    ]);
  });

  it('writes an audit trail, with the user who made the change', async () => {
    const methods = await start(audited);
    const trail = testing.get(AuditTrail, { strict: false });

    const { id } = await trail.actor.run('ann', () => methods.create('acme', ground));
    await methods.remove('acme', id);

    const rows = await testing
      .get(DataSource)
      .getRepository(Audit)
      .find({ order: { id: 'ASC' } });
    expect(rows.map(({ actor, what }) => [actor, what])).toEqual([
      ['ann', `created ${id}`],
      ['system', `removed ${id}`],
    ]);
  });
});
