import { createHash } from 'node:crypto';
import {
  BadRequestException,
  Body,
  ConflictException,
  Controller,
  Headers,
  Inject,
  Injectable,
  Module,
  Param,
  Post,
  UseFilters,
} from '@nestjs/common';
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm';
import {
  OrderEventsService,
  ProblemDetailsFilter,
  repeatLostRaces,
  type ShippingMethodCodes,
  ShippingMethodsService,
} from 'nestjs-shipping';
import { Column, DataSource, Entity, type EntityManager, Index, PrimaryGeneratedColumn } from 'typeorm';

// docs/guide/checkout.md shows this code.

@Entity({ name: 'placed_order' })
@Index('uq_placed_order', ['projectId', 'orderId'], { unique: true })
export class PlacedOrder {
  @PrimaryGeneratedColumn({ name: 'number', type: 'integer' })
  number!: number;

  @Column({ name: 'project_id', type: 'varchar', length: 64 })
  projectId!: string;

  /** The `orderId` of the events. It is made from the client's key. */
  @Column({ name: 'order_id', type: 'varchar', length: 64 })
  orderId!: string;

  @Column({ name: 'method_label', type: 'varchar', length: 255 })
  methodLabel!: string;
}

/** The same shop, customer and key give the same order, on every instance. The id is short: events store it. */
function orderIdOf(...parts: [shop: string, customer: string, key: string]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

@Injectable()
export class Checkout {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService,
    @Inject(OrderEventsService) private readonly events: OrderEventsService,
  ) {}

  /** Places an order, or returns the order that the same key has placed before. */
  place(projectId: string, orderId: string, choice: ShippingMethodCodes): Promise<PlacedOrder> {
    return repeatLostRaces(() => this.placeOnce(projectId, orderId, choice));
  }

  private async placeOnce(
    projectId: string,
    orderId: string,
    choice: ShippingMethodCodes,
  ): Promise<PlacedOrder> {
    try {
      return await this.dataSource.transaction((manager) =>
        this.placeIn(manager, projectId, orderId, choice),
      );
    } catch (error) {
      if (!(error instanceof ConflictException)) throw error;
      // A repeat gets its order, whatever has changed since then. A new transaction sees the order, and reads the
      // primary.
      const placed = await this.dataSource.transaction((manager) =>
        manager.findOneBy(PlacedOrder, { projectId, orderId }),
      );
      if (!placed) throw error;
      return placed;
    }
  }

  private async placeIn(
    manager: EntityManager,
    projectId: string,
    orderId: string,
    choice: ShippingMethodCodes,
  ): Promise<PlacedOrder> {
    // The lock keeps the method active until the order is committed.
    const method = await this.methods.findByCodes(projectId, choice, { manager, lock: true });
    if (!method?.is_active) throw new ConflictException('Choose another shipping method.');
    // A repeat waits here until the first transaction has ended.
    const { repeated } = await this.events.record(
      { projectId, orderId },
      { type: 'order.placed', dedupe_key: 'placed' },
      { manager },
    );
    if (repeated) throw new ConflictException('This key has been used.');
    const order = { projectId, orderId, methodLabel: method.method_label };
    return manager.save(Object.assign(new PlacedOrder(), order));
  }
}

@Controller('shops/:shop/orders')
@UseFilters(ProblemDetailsFilter)
class CheckoutController {
  constructor(@Inject(Checkout) private readonly checkout: Checkout) {}

  @Post()
  async place(
    @Param('shop') shop: string,
    @Headers('idempotency-key') key: string | undefined,
    @Body() choice: ShippingMethodCodes,
  ): Promise<{ number: number; method: string }> {
    if (!key) throw new BadRequestException('Send an Idempotency-Key: a new UUID for each new order.');
    // Your guard knows the customer.
    const customer = 'c-518';
    const { number, methodLabel } = await this.checkout.place(shop, orderIdOf(shop, customer, key), choice);
    return { number, method: methodLabel };
  }
}

@Module({
  imports: [TypeOrmModule.forFeature([PlacedOrder])],
  controllers: [CheckoutController],
  providers: [Checkout],
})
export class CheckoutModule {}
