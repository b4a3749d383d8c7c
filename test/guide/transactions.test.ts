import {
  ConflictException,
  Controller,
  Inject,
  Injectable,
  Logger,
  Param,
  Post,
  UseFilters,
} from '@nestjs/common';
import { ClsPluginTransactional, Transactional, TransactionHost } from '@nestjs-cls/transactional';
import { TransactionalAdapterTypeOrm } from '@nestjs-cls/transactional-adapter-typeorm';
import { Test, type TestingModule } from '@nestjs/testing';
import { getDataSourceToken, InjectDataSource } from '@nestjs/typeorm';
import { ClsModule } from 'nestjs-cls';
import {
  toShippingError,
  MethodInUseError,
  OrderEventsService,
  ProblemDetailsFilter,
  type ShippingMethodChange,
  ShippingMethodsService,
  ShippingModule,
} from 'nestjs-shipping';
import { embeddedTypeOrmModule } from 'nestjs-shipping/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { listening } from '../embedding/host.js';
import { freshProject, ground } from '../support/client.js';
import { CreateShopOrder, ShopOrder } from './shop-order.js';

// docs/guide/transactions.md shows this code.

@Injectable()
class Checkout {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService,
    @Inject(OrderEventsService) private readonly events: OrderEventsService,
  ) {}

  place(projectId: string, orderId: string): Promise<void> {
    const placing = this.dataSource.transaction(async (manager) => {
      const method = await this.methods.findByCodes(
        projectId,
        { carrier_code: 'ups', method_code: '03' },
        { manager, lock: true },
      );
      if (!method?.is_active) throw new ConflictException('Choose another shipping method.');
      await manager.insert(ShopOrder, { projectId, orderId, methodId: method.id });
      await this.events.record({ projectId, orderId }, { type: 'order.placed' }, { manager });
    });
    return placing.catch((error: unknown) => {
      throw toShippingError(error);
    });
  }

  @Transactional()
  async placeInCls(projectId: string, orderId: string): Promise<void> {
    await this.events.record({ projectId, orderId }, { type: 'order.placed' });
    throw new ConflictException('Changed our mind.');
  }
}

@Controller('shops/:shop/orders')
@UseFilters(ProblemDetailsFilter)
class OrdersController {
  constructor(@Inject(Checkout) private readonly checkout: Checkout) {}

  @Post(':id')
  place(@Param('shop') shop: string, @Param('id') id: string): Promise<void> {
    return this.checkout.place(shop, id);
  }
}

type Host = TransactionHost<TransactionalAdapterTypeOrm>;

const withCls = ShippingModule.forRootAsync({
  inject: [TransactionHost],
  useFactory: (host: Host) => ({
    entityManager: () => (host.isTransactionActive() ? host.tx : undefined),
  }),
});

describe('a service of the host', () => {
  let testing: TestingModule;
  let checkout: Checkout;
  let methods: ShippingMethodsService;
  let events: OrderEventsService;
  let projectId = '';
  let origin = '';
  beforeEach(() => {
    projectId = freshProject();
  });
  beforeAll(async () => {
    testing = await Test.createTestingModule({
      imports: [
        ClsModule.forRoot({
          plugins: [
            new ClsPluginTransactional({
              adapter: new TransactionalAdapterTypeOrm({ dataSourceToken: getDataSourceToken() }),
            }),
          ],
        }),
        embeddedTypeOrmModule({ entities: [ShopOrder], migrations: [CreateShopOrder] }),
        withCls,
      ],
      controllers: [OrdersController],
      providers: [Checkout],
    }).compile();
    ({ origin } = await listening(testing));
    checkout = testing.get(Checkout);
    methods = testing.get(ShippingMethodsService);
    events = testing.get(OrderEventsService);
  });
  afterAll(() => testing?.close());

  it('stores an order with its event, or neither', async () => {
    const { id } = await methods.create(projectId, ground);
    await checkout.place(projectId, '1001');
    await methods.update(projectId, id, { ...ground, is_active: false });

    await expect(checkout.place(projectId, '1002')).rejects.toBeInstanceOf(ConflictException);

    expect((await events.findAll({ projectId, orderId: '1001' })).map(({ type }) => type)).toEqual([
      'order.placed',
    ]);
    expect(await events.findAll({ projectId, orderId: '1002' })).toEqual([]);
  });

  it('whose transaction is ambient takes the events along when it rolls back', async () => {
    await expect(checkout.placeInCls(projectId, '1001')).rejects.toThrow('Changed our mind.');

    expect(await events.findAll({ projectId, orderId: '1001' })).toEqual([]);
  });

  it('goes on after an error by its own foreign key, with a savepoint', async () => {
    const { id } = await methods.create(projectId, ground);
    await checkout.place(projectId, '1001');

    await testing.get(DataSource).transaction(async (manager) => {
      const removing = manager.transaction((inner) => methods.remove(projectId, id, { manager: inner }));
      await removing.catch(async (error: unknown) => {
        if (!(error instanceof MethodInUseError)) throw error;
        await methods.update(projectId, id, { ...ground, is_active: false }, { manager });
      });
    });

    expect(await methods.find(projectId, id)).toMatchObject({ is_active: false, version: 2 });
  });

  it('logs the 503 of its own route, which says when to try again', async () => {
    const lines: unknown[] = [];
    const logged = vi.spyOn(Logger.prototype, 'error').mockImplementation((line) => void lines.push(line));
    const refused = Object.assign(new Error('The password has changed.'), { code: '28P01' });
    const down = vi.spyOn(testing.get(DataSource), 'transaction').mockRejectedValue(refused);

    const { status, headers } = await fetch(`${origin}/shops/${projectId}/orders/1001`, { method: 'POST' });
    logged.mockRestore();
    down.mockRestore();

    expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^[123]$/)]);
    expect(lines).toEqual(['database_unavailable 28P01 The password has changed.']);
  });

  it('receives each change', async () => {
    const seen: ShippingMethodChange['type'][] = [];

    const subscription = methods.changes.subscribe(({ type }) => seen.push(type));
    await methods.create(projectId, ground);
    subscription.unsubscribe();

    expect(seen).toEqual(['created']);
  });
});
