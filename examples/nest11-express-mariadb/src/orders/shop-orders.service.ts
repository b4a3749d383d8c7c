import { ConflictException, Injectable } from '@nestjs/common';
import { connectionError, OrderEvents, ShippingMethods } from 'nestjs-shipping';
import { DataSource } from 'typeorm';
import { ShopOrder } from './shop-order.entity';

@Injectable()
export class ShopOrders {
  constructor(
    private readonly dataSource: DataSource,
    private readonly methods: ShippingMethods,
    private readonly events: OrderEvents,
  ) {}

  /**
   * Places the order, which takes the last place in the van: one transaction for the event, the method that is offered no
   * more and the host's row. `lastStep` is the last statement of it: charge the card after the commit. A repeat with the same id returns the first order.
   * @param id comes from the client's key
   * @throws VersionMismatchError when somebody else was faster
   */
  place(
    projectId: string,
    id: string,
    carrier: string,
    code: string,
    lastStep: () => Promise<void> = () => Promise.resolve(),
  ): Promise<ShopOrder> {
    // With the default level of MariaDB, a transaction that waits for another one would have to be repeated.
    const placing = this.dataSource.transaction('READ COMMITTED', async (manager) => {
      const placed = { projectId, orderId: id, type: 'order.placed', dedupeKey: 'placed' };
      // This call comes first, so that a repeat waits here until the first transaction has ended.
      const { repeated } = await this.events.record(placed, { manager });
      if (repeated) return manager.findOneByOrFail(ShopOrder, { projectId, id });
      const method = await this.methods.findByCodes(projectId, carrier, code, { manager });
      if (!method?.is_active) throw new ConflictException('Choose another shipping method.');
      const { carrier_code, method_code, method_label } = method;
      const full = { carrier_code, method_code, method_label, is_active: false };
      // The etag, so that the place is sold once. Another order for it waits here.
      const etags = [method.etag];
      await this.methods.update(projectId, method.id, full, { manager, etags });
      const order = manager.create(ShopOrder, { projectId, id, methodId: method.id });
      await manager.insert(ShopOrder, order);
      await lastStep();
      return order;
    });
    return placing.catch((error: unknown) => {
      throw connectionError(error);
    });
  }
}
