// The services have no private members in the declarations of the package, so a fake needs only the public ones.
// test/types.test.ts compiles this file against the declarations.
import {
  MethodNotFoundError,
  type OrderEventDto,
  type OrderEventsService,
  type ShippingMethodChange,
  type ShippingMethodDto,
  type ShippingMethodsService,
} from 'nestjs-shipping';
import { orderEvent, shippingMethod } from 'nestjs-shipping/testing';
import { type Observable, of } from 'rxjs';

const ground: ShippingMethodDto = shippingMethod({ method_code: '03', is_active: false });
const paid: OrderEventDto = orderEvent({ type: 'order.paid' });

class FakeMethods implements ShippingMethodsService {
  readonly changes: Observable<ShippingMethodChange> = of();
  create = async () => ground;
  list = async () => ({ data: [ground], meta: { page: 1, per_page: 20, total: 1, total_pages: 1 } });
  tree = async () => ({ data: [] });
  findAll = async () => [ground];
  findActive = async () => [];
  find = async () => ground;
  findOrFail = () => Promise.reject(new MethodNotFoundError());
  findByCodes = async () => null;
  findByCodesOrFail = async () => ground;
  update = async () => ground;
  upsert = async () => ground;
  upsertMany = async () => ({ methods: [ground], changes: [] });
  adoptDefaults = async () => ({ methods: [], changes: [] });
  remove = async () => ground;
  removeAll = async () => 1;
  cacheStats = () => ({ bytes: 0, projects: 0, hits: 0, misses: 0, revisionQueries: 0 });
}

const fakeEvents: Pick<OrderEventsService, 'findAll' | 'list' | 'removeHistory'> = {
  findAll: async () => [paid],
  list: async () => ({ data: [paid], next: null }),
  removeHistory: async () => 1,
};

export class Checkout {
  constructor(
    readonly methods: ShippingMethodsService,
    readonly events: Pick<OrderEventsService, 'findAll'>,
  ) {}
}

export const checkout = new Checkout(new FakeMethods(), fakeEvents);
