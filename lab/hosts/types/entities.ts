// A host stores rows of its own that refer to our entities. This must compile with every TypeScript and TypeORM.
import { OrderEvent, ShippingMethod } from 'nestjs-shipping';
import { type EntityManager, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';

class ShopOrder {
  @PrimaryColumn()
  number!: string;

  @ManyToOne(() => ShippingMethod)
  method!: Relation<ShippingMethod>;

  @ManyToOne(() => OrderEvent)
  lastEvent!: Relation<OrderEvent>;
}

export function store(manager: EntityManager, order: ShopOrder, method: ShippingMethod, event: OrderEvent) {
  const orders = manager.getRepository(ShopOrder);
  return [
    manager.insert(ShopOrder, order),
    manager.upsert(ShopOrder, order, ['number']),
    orders.insert(order),
    orders.update({ number: '1' }, order),
    orders.update({ method: { projectId: 'shop' } }, { method: { id: method.id } }),
    manager.createQueryBuilder().insert().into(ShopOrder).values(order).execute(),
    manager.createQueryBuilder().update(ShopOrder).set(order).execute(),
    orders.findBy({ method: { id: method.id }, lastEvent: { type: event.type } }),
    manager.save(ShippingMethod, { ...method, meta: { days: [1, { of: null }] } }),
    manager.insert(ShippingMethod, method),
    manager.insert(OrderEvent, { ...event, data: { number: 1 } }),
  ];
}
