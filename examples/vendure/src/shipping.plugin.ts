import { Injectable } from '@nestjs/common';
import {
  Order,
  OrderService,
  PluginCommonModule,
  type RequestContext,
  TransactionalConnection,
  UserInputError,
  VendurePlugin,
} from '@vendure/core';
import {
  OrderEventsService,
  shippingEntities,
  ShippingMethodsService,
  ShippingModule,
} from 'nestjs-shipping';
import { DefaultNamingStrategy } from 'typeorm';

interface Codes {
  carrier_code: string;
  method_code: string;
}

/** Stores Vendure's order and our event in Vendure's own transaction. */
@Injectable()
export class Checkout {
  constructor(
    private readonly connection: TransactionalConnection,
    private readonly orders: OrderService,
    private readonly methods: ShippingMethodsService,
    private readonly events: OrderEventsService,
  ) {}

  /** @returns the code of the new order */
  place(
    request: RequestContext,
    projectId: string,
    codes: Codes,
    storeMore: (order: string) => Promise<void>,
  ): Promise<string> {
    return this.connection.withTransaction(request, async (ctx) => {
      const { manager } = this.connection.getRepository(ctx, Order);
      const { carrier_code, method_code } = codes;
      const method = await this.methods.findByCodes(
        projectId,
        { carrier_code, method_code },
        {
          manager,
          lock: true,
        },
      );
      if (!method?.is_active) throw new UserInputError('Choose another shipping method.');
      const order = await this.orders.create(ctx);
      await this.events.record({ projectId, orderId: order.code }, { type: 'order.placed' }, { manager });
      // Store what else belongs to the order. Charge the card after the commit.
      await storeMore(order.code);
      return order.code;
    });
  }
}

/**
 * Vendure has a table `shipping_method`, too. Our entities give their tables explicit names, and Vendure's entities do
 * not. So this strategy renames only our table.
 */
class TablesBesideVendure extends DefaultNamingStrategy {
  override tableName(entity: string, name: string | undefined): string {
    return name === 'shipping_method' ? 'carrier_method' : super.tableName(entity, name);
  }
}

@VendurePlugin({
  imports: [PluginCommonModule, ShippingModule.forRoot()],
  providers: [Checkout],
  // Our entities cannot be in the plugin's `entities`: Vendure refuses a second entity named ShippingMethod there.
  configuration: (config) => {
    const entities = [...Object.values(config.dbConnectionOptions.entities ?? []), ...shippingEntities];
    const namingStrategy = new TablesBesideVendure();
    Object.assign(config.dbConnectionOptions, { entities, namingStrategy });
    return config;
  },
  compatibility: '^3.0.0',
})
export class ShippingPlugin {}
