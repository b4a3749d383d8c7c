import { ConflictException, Injectable } from '@nestjs/common';
import { OrderEvents, type ShippingMethodDto, ShippingMethods } from 'nestjs-shipping';
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
   * Places the order, which takes the last place in the van: one transaction for the host's row, the event and the
   * method that is offered no more. `pay` is the last step of it.
   */
  place(
    projectId: string,
    number: string,
    carrier: string,
    code: string,
    pay: () => Promise<void> = () => Promise.resolve(),
  ): Promise<ShippingMethodDto> {
    return this.dataSource.transaction(async (manager) => {
      const method = await this.methods.findByCodes(projectId, carrier, code, { manager });
      if (!method?.is_active) throw new ConflictException('Choose another shipping method.');
      await manager.insert(ShopOrder, { projectId, number, methodId: method.id });
      await this.events.record({ projectId, orderId: number, type: 'order.placed' }, { manager });
      const { carrier_code, method_code, method_label } = method;
      const full = { carrier_code, method_code, method_label, is_active: false };
      const updated = await this.methods.update(projectId, method.id, full, { manager });
      await pay();
      return updated;
    });
  }
}
