// What compiles for a host that does not name its types, and what must not. `npm run typecheck` compiles this file, and
// test/types.test.ts compiles it against the declarations of the package, with every strict flag.
import { ConflictException } from '@nestjs/common';
import {
  type BeforeCommit,
  type FilterCondition,
  type ShippingCallOptions,
  InvalidInputError,
  isKnownOrderEventType,
  isOrderEvent,
  isShippingError,
  type JsonObject,
  type MethodNotFoundError,
  type NewOrderEvent,
  type OrderEventDto,
  type OrderEventsService,
  orderEventTypes,
  type ShippingError,
  type ShippingErrorCode,
  type ShippingMethodDto,
  type ShippingMethodQuery,
  type ShippingMethodsService,
  ShippingModule,
  type ShippingModuleAsyncOptions,
  type ShippingModuleOptions,
  type ShippingOptionsFactory,
  type UpsertManyOptions,
  type UpsertShippingMethodRequest,
  VersionMismatchError,
} from 'nestjs-shipping';
import { ShippingPageModule, type ShippingPageOptions } from 'nestjs-shipping/page';
import { type ContractTarget, orderEvent } from 'nestjs-shipping/testing';
import { type EntityManager } from 'typeorm';

declare const methods: ShippingMethodsService;
declare const events: OrderEventsService;
const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

/** Values that a host has or has not. With `exactOptionalPropertyTypes`, a type must allow undefined by itself. */
interface Maybe {
  text: string | undefined;
  count: number | undefined;
  flag: boolean | undefined;
  manager: EntityManager | undefined;
}

/** The data of a host are often an interface, which has no index signature. */
interface ShopMeta {
  price: string;
  zones: readonly { country: string; from?: Date }[];
  coupon?: string;
}

const withFunction = { ...ground, meta: { f: () => 1 } };

/** A row of the host may name its order and its method. */
const row = { projectId: 'acme', orderId: '1001', total: 5, carrier_code: 'ups', method_code: '03' };
const order = { projectId: 'acme', orderId: '1001' };

export function undefinedIsAllowed({ text, count, flag, manager }: Maybe): unknown[] {
  const options: ShippingCallOptions = { manager };
  const many: UpsertManyOptions = { manager, removeOthers: flag, maxRemoved: count, dryRun: flag };
  const request: UpsertShippingMethodRequest = {
    ...ground,
    carrier_label: text,
    is_active: flag,
    sort_order: count,
    meta: undefined,
    use_default: flag,
  };
  const query: ShippingMethodQuery = {
    page: count,
    per_page: count,
    q: text,
    filter: { carrier_code: text, is_active: flag },
    raw_filters: undefined,
  };
  const event: NewOrderEvent = {
    type: 'order.placed',
    message: text,
    data: undefined,
    actor: { type: 'user', id: text, label: text },
    occurred_at: text,
    dedupe_key: text,
  };
  const module: ShippingModuleOptions = {
    isGlobal: flag,
    dataSource: text,
    http: { path: text, problemDetails: flag, routeDecorators: { list: undefined } },
    maxMethods: count,
    maxPageSize: count,
    defaultsProjectId: text,
    entityManager: undefined,
    beforeCommit: { change: undefined },
  };
  const page: ShippingPageOptions = {
    path: text,
    routes: text,
    csrf: undefined,
    texts: { en: { title: text } },
  };
  const target: ContractTarget = { origin: 'http://127.0.0.1', path: text, headers: undefined };
  return [
    methods.create('acme', request, options),
    methods.update('acme', 'id', request, { manager, etag: text }),
    methods.upsertMany('acme', [request], many),
    methods.find('acme', 'id', { manager, lock: flag }),
    methods.list('acme', query, options),
    methods.adoptDefaults('acme', { manager, dryRun: flag }),
    events.record({ projectId: 'acme', orderId: '1001' }, event, { manager }),
    events.list(
      { projectId: 'acme', orderId: '1001' },
      { limit: count, types: undefined, newestFirst: flag, cursor: text },
    ),
    ShippingModule.forRoot(module),
    ShippingModule.forRootAsync({
      useFactory: () => ({ maxMethods: count }),
      isGlobal: flag,
      inject: undefined,
    }),
    ShippingPageModule.forRoot(page),
    target,
  ];
}

export function metaIsJson(
  shopMeta: ShopMeta,
  record: Record<string, unknown>,
  json: JsonObject,
  method: ShippingMethodDto,
  event: OrderEventDto,
): unknown[] {
  const coupon: string | undefined = shopMeta.coupon;
  const annotated: UpsertShippingMethodRequest[] = [
    { ...ground, meta: shopMeta },
    { ...ground, meta: record },
    { ...ground, meta: { coupon, at: new Date(), length: 3 } },
  ];
  return [
    methods.create('acme', { ...ground, meta: shopMeta }),
    methods.create('acme', { ...ground, meta: record }),
    methods.create('acme', { ...ground, meta: json }),
    methods.create('acme', { ...ground, meta: { coupon, at: new Date(), list: [1, { a: null }] } }),
    methods.upsertMany('acme', annotated),
    methods.upsertMany('acme', [{ ...ground, meta: { a: 1 } }, ground, { ...ground, meta: { b: 'x' } }]),
    events.record(order, { type: 'gift.wrapped', data: shopMeta }),
    events.record(
      { projectId: 'acme', orderId: '1001' },
      { type: 'order.paid', data: { coupon, at: new Date() } },
    ),
    events.findAll(row),
    methods.findByCodes('acme', method),
    methods.findByCodes('acme', row),
    methods.update('acme', 'id', { is_active: false }),
    methods.update('acme', 'id', { method_label: undefined, meta: { a: 1 } }),
    // @ts-expect-error: a stored method instead of a request
    methods.update('acme', 'id', { ...method, is_active: false }),
    // @ts-expect-error: the same
    methods.create('acme', { ...method }),
    // @ts-expect-error: the same in a list
    methods.upsertMany('acme', [method]),
    // @ts-expect-error: a stored event instead of a new one
    events.record(order, { ...event }),
    // @ts-expect-error: an order by the positions of its ids
    events.record('1001', 'acme', { type: 'order.paid' }),
    // @ts-expect-error: an order without its project
    events.findAll('1001'),
    // @ts-expect-error: codes by their position
    methods.findByCodes('acme', 'ups', '03'),
    // @ts-expect-error: an array
    methods.create('acme', { ...ground, meta: [1] }),
    // @ts-expect-error: a Date
    methods.create('acme', { ...ground, meta: new Date() }),
    // @ts-expect-error: a function
    methods.create('acme', { ...ground, meta: () => 1 }),
    // @ts-expect-error: a text
    methods.create('acme', { ...ground, meta: 'text' }),
    // @ts-expect-error: a bigint
    methods.update('acme', 'id', { ...ground, meta: { a: 1n } }),
    // @ts-expect-error: a function inside
    methods.upsert('acme', { ...ground, meta: { a: [{ b: () => 1 }] } }),
    // @ts-expect-error: a Map
    methods.create('acme', { ...ground, meta: { a: new Map([['b', 1]]) } }),
    // @ts-expect-error: an array
    methods.upsertMany('acme', [{ ...ground, meta: [1] }]),
    // @ts-expect-error: a bigint in a list
    methods.upsertMany('acme', [{ ...ground, meta: { b: 1n } }]),
    // @ts-expect-error: a function in a list that is no literal
    methods.upsertMany('acme', [withFunction].slice()),
    // @ts-expect-error: a misspelt field
    methods.create('acme', { ...ground, carier_label: 'UPS' }),
    // @ts-expect-error: an array
    events.record(order, { type: 'order.paid', data: [1] }),
    // @ts-expect-error: a bigint
    events.record(order, { type: 'order.paid', data: { amount: 1n } }),
    // @ts-expect-error: a symbol
    events.record(order, { type: 'order.paid', data: { amount: Symbol('a') } }),
  ];
}

export function readsEvents(history: readonly OrderEventDto[], type: string): unknown[] {
  const labels: Partial<Record<(typeof orderEventTypes)[number], string>> = { 'order.paid': 'Paid' };
  return history.flatMap((event) => {
    if (isOrderEvent(event, 'order.paid')) return event.data['amount'] ?? [];
    switch (event.type) {
      case 'gift.wrapped':
        return event.data;
      default:
        return isKnownOrderEventType(type) ? (labels[type] ?? []) : [];
    }
  });
}

export function returnedValuesAreReadonly(method: ShippingMethodDto, event: OrderEventDto): void {
  // @ts-expect-error: the change would not be saved.
  method.is_active = false;
  // @ts-expect-error: the same for a member.
  method.meta['price'] = 1;
  // @ts-expect-error: the same for a list.
  method.inherited.push('meta');
  // @ts-expect-error: the same for an event.
  event.message = 'x';
}

export function errorsHaveCodes(error: unknown): ShippingErrorCode | undefined {
  if (!isShippingError(error)) return undefined;
  switch (error.code) {
    case 'duplicate_method':
      throw new ConflictException(error.existingId);
    case 'version_mismatch':
      throw new ConflictException(error.currentVersion);
    case 'validation_failed':
    case 'invalid_parameter':
      return error.violations.some(({ pointer, index }) => pointer?.endsWith('/meta') && index === 0)
        ? error.code
        : undefined;
    case 'transaction_failed':
      return error.endsTransaction ? error.code : undefined;
    // @ts-expect-error: no error has this code.
    case 'duplicate_metod':
      return undefined;
    default:
      return error.code;
  }
}

export function statusOf(error: ShippingError): number {
  if (error instanceof InvalidInputError) return error.violations.length;
  // @ts-expect-error: not every error of this library has a status.
  return error.getStatus();
}

export const fakeEvents: Pick<OrderEventsService, 'record'> = {
  record: async (_order, { type }) => ({ ...orderEvent({ type }), repeated: false }),
};

export const conditions: FilterCondition[] = [
  { field: 'carrier_code', op: 'in', value: ['ups', 'dhl'] },
  { field: 'sort_order', op: 'between', value: [1, 9] },
  { field: 'carrier_label', op: 'null', value: true },
  // @ts-expect-error: a range has two values.
  { field: 'sort_order', op: 'between', value: 3 },
  // @ts-expect-error: one value
  { field: 'method_code', op: 'eq', value: ['03'] },
  // @ts-expect-error: a misspelt field
  { field: 'method_cod', op: 'eq', value: '03' },
];

// @ts-expect-error: two classes of errors are never the same.
export const other: MethodNotFoundError = new VersionMismatchError(1, 'id');

export const hooks: BeforeCommit[] = [
  { change: (change, manager) => manager.insert('outbox', { topic: change.type }) },
  { event: ({ type }) => void type },
  { event: async (event, manager) => manager.save('outbox', event) },
];

class FromConfig implements ShippingOptionsFactory {
  create() {
    return { maxMethods: 10 };
  }
}

class StaticFactory {
  create() {
    return { http: false as const };
  }
}

export const mounts: ShippingModuleAsyncOptions[] = [
  { useClass: FromConfig, isGlobal: true },
  { useExisting: FromConfig, http: false },
  {
    useFactory: async (config: Map<string, number>) => ({ maxMethods: config.get('MAX_METHODS') }),
    inject: [Map],
  },
  // @ts-expect-error: it stands beside the factory.
  { useFactory: () => ({ maxMethods: 3, isGlobal: true }) },
  // @ts-expect-error: the same for a class.
  { useClass: StaticFactory },
  // @ts-expect-error: there must be a factory.
  { isGlobal: true },
  // @ts-expect-error: there must be only one.
  { useFactory: () => ({}), useClass: FromConfig },
  // @ts-expect-error: a misspelt option
  { useFactory: () => ({ maxMehtods: 3 }) },
];

interface StaffRequest {
  user: { shops: string[] };
}

export const pages = [
  ShippingPageModule.forRoot({ projects: (request) => [{ id: String(request.user), label: 'Shop' }] }),
  ShippingPageModule.forRoot({
    projects: ({ user }: StaffRequest) => user.shops.map((id) => ({ id, label: id })),
  }),
  ShippingPageModule.forRootAsync({
    useFactory: () => ({ projects: ({ user }: StaffRequest) => user.shops.map((id) => ({ id, label: id })) }),
  }),
  // @ts-expect-error: it stands beside the factory.
  ShippingPageModule.forRootAsync({ useFactory: () => ({ path: 'staff' }) }),
  // @ts-expect-error: a Node request has no such property.
  ShippingPageModule.forRoot({ projects: ({ session }) => [{ id: session.shop, label: 'Shop' }] }),
];
