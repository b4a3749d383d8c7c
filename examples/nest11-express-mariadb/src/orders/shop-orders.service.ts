import { ConflictException, Injectable } from '@nestjs/common';
import { OrderEventsService, repeatLostRaces, ShippingMethodsService } from 'nestjs-shipping';
import { DataSource, type EntityManager } from 'typeorm';
import { ShopOrder } from './shop-order.entity';

@Injectable()
export class ShopOrders {
  constructor(
    private readonly dataSource: DataSource,
    private readonly methods: ShippingMethodsService,
    private readonly events: OrderEventsService,
  ) {}

  /**
   * Places the order. In this example, the order takes the last place in a van, so its method becomes inactive. The
   * event, the change of the method and the row of the order are stored in one transaction. If the call is repeated
   * with the same id, it returns the first order. Charge the card after the commit.
   * @param id made from the client's key
   * @param lastStep runs at the end of the transaction
   * @throws VersionMismatchError when somebody else was faster
   */
  place(
    projectId: string,
    id: string,
    carrier: string,
    code: string,
    lastStep: () => Promise<void> = () => Promise.resolve(),
  ): Promise<ShopOrder> {
    const placing = async (manager: EntityManager): Promise<ShopOrder> => {
      const codes = { carrier_code: carrier, method_code: code };
      const method = await this.methods.findByCodes(projectId, codes, { manager });
      // The first request has made the method inactive, so a repeat must find the order before the next check.
      const first = await manager.findOneBy(ShopOrder, { projectId, id });
      if (first) return first;
      if (!method?.is_active) throw new ConflictException('Choose another shipping method.');
      // A repeat waits here until the first transaction has ended.
      const placed = { type: 'order.placed', dedupe_key: 'placed' };
      const { repeated } = await this.events.record({ projectId, orderId: id }, placed, { manager });
      if (repeated) return manager.findOneByOrFail(ShopOrder, { projectId, id });
      const { carrier_code, method_code, method_label } = method;
      const soldOut = { carrier_code, method_code, method_label, is_active: false };
      // With the etag, the place is sold only once. Another order for the same place waits here.
      await this.methods.update(projectId, method.id, soldOut, { manager, etag: method.etag });
      const order = manager.create(ShopOrder, { projectId, id, methodId: method.id });
      await manager.insert(ShopOrder, order);
      await lastStep();
      return order;
    };
    // With MariaDB's default level, a transaction that has waited for another one would have to be repeated.
    // If a transaction fails after record(), MariaDB ends its repeats with deadlocks.
    return repeatLostRaces(() => this.dataSource.transaction('READ COMMITTED', placing));
  }
}
