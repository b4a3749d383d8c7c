import { type MiddlewareConsumer, Module, type NestModule, UseGuards } from '@nestjs/common';
import { type TestingModule } from '@nestjs/testing';
import { OrderEventsService, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { embeddedTypeOrmModule } from 'nestjs-shipping/testing';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compiled, type Host, listening } from '../embedding/host.js';
import { Client } from '../support/client.js';
import { MethodAudit, OrderHistory, TokenGuard, Trail, WhoDidIt } from './who-did-it.js';

// docs/recipes/who-did-it.md shows this code.

@Module({ providers: [WhoDidIt, Trail], exports: [WhoDidIt, Trail] })
class WhoModule {}

const shipping = ShippingModule.forRootAsync({
  isGlobal: true,
  imports: [WhoModule],
  http: { decorators: [UseGuards(TokenGuard)] },
  inject: [Trail],
  useFactory: (trail: Trail) => ({
    beforeCommit: { change: (change, manager) => trail.write(change, manager) },
  }),
});

@Module({ imports: [WhoModule, shipping], providers: [OrderHistory] })
class ShopModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(WhoDidIt).forRoutes('{*path}');
  }
}

class CreateAudit implements MigrationInterface {
  name = 'CreateMethodAudit1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE method_audit (id serial PRIMARY KEY, who varchar(255), change json)');
  }

  async down(): Promise<void> {}
}

describe('who did it', () => {
  let testing: TestingModule;
  let host: Host;
  let shop: Client;
  const ground = { carrier_code: 'ups', method_code: '03', method_label: 'Ground' };
  beforeAll(async () => {
    testing = await compiled([
      embeddedTypeOrmModule({ entities: [MethodAudit], migrations: [CreateAudit] }),
      ShopModule,
    ]);
    host = await listening(testing);
    shop = new Client(host.origin, 'acme');
  });
  afterAll(() => host?.app.close());
  beforeEach(() => testing.get(DataSource).getRepository(MethodAudit).clear());

  const trail = async (): Promise<string[]> => {
    const rows = await testing
      .get(DataSource)
      .getRepository(MethodAudit)
      .find({ order: { id: 'ASC' } });
    return rows.map(({ who, change }) => `${who}: ${String(Object(change).type)}`);
  };

  it('is in the audit trail of a request', async () => {
    const asAnn = { authorization: 'Bearer token-of-ann' };

    const { body } = await shop.create(ground, asAnn);
    await shop.remove(body.id, { authorization: 'Bearer token-of-bob' });
    const refused = await shop.create(ground, { authorization: 'Bearer stolen' });

    expect(refused.status).toBe(403);
    expect(await trail()).toEqual(['user ann: created', 'user bob: removed']);
  });

  it('is the job that makes the call, otherwise the system', async () => {
    const methods = testing.get(ShippingMethodsService);
    const who = testing.get(WhoDidIt);

    await who.as({ type: 'app', id: 'import' }, () => methods.upsertMany('acme', [ground]));
    await methods.removeAll('acme');

    expect(await trail()).toEqual(['app import: created', 'system: removed']);
  });

  it('is in the history of an order', async () => {
    const history = testing.get(OrderHistory);
    const event = ['acme', '1001', { type: 'order.placed' }] as const;
    const actor = { type: 'customer', id: 'c-518', label: 'Ann Lee' } as const;

    await testing
      .get(WhoDidIt)
      .as(actor, () => testing.get(DataSource).transaction((manager) => history.record(...event, manager)));

    expect(
      await testing.get(OrderEventsService).findAll({ projectId: 'acme', orderId: '1001' }),
    ).toMatchObject([{ type: 'order.placed', actor }]);
  });
});
