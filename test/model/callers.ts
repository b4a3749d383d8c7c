import {
  type ShippingCallOptions,
  type NewOrderEvent,
  type OrderEventPage,
  type OrderEventQuery,
  OrderEventsService,
  ShippingHttpError,
  ShippingMethodsService,
} from 'nestjs-shipping';
import { type TestApp } from '../support/app.js';
import { type TestResponse, Client } from '../support/client.js';
import { type Sent } from './contract-model.js';
import { type Query } from './list-model.js';
import { pathOf } from './list-path.js';

/** A response in the same form for HTTP and the services. */
export interface CallerResponse {
  status: number;
  body: unknown;
  /** Over HTTP only. */
  etag?: string | null;
}

/** The condition of a change: `If-Match` over HTTP, or the versions that it allows for a service. */
export interface Guard {
  header?: string;
  versions?: number[];
}

/** One way to call the library for one project. */
export interface Caller {
  readonly project: string;
  create(sent: Sent): Promise<CallerResponse>;
  update(id: string, sent: Sent, guard: Guard): Promise<CallerResponse>;
  remove(id: string, guard: Guard): Promise<CallerResponse>;
  /** @param held an ETag, which a service ignores */
  list(query: Query, isBracketed: boolean, held?: string): Promise<CallerResponse>;
  tree(held?: string): Promise<CallerResponse>;
  events(orderId: string): Promise<CallerResponse>;
}

export class HttpCaller implements Caller {
  private readonly client: Client;

  constructor(
    { origin }: TestApp,
    readonly project: string,
  ) {
    this.client = new Client(origin, project);
  }

  create(sent: Sent): Promise<CallerResponse> {
    return responseOf(this.client.create(sent));
  }

  update(id: string, sent: Sent, { header }: Guard): Promise<CallerResponse> {
    return responseOf(this.client.update(id, sent, header === undefined ? {} : { 'if-match': header }));
  }

  remove(id: string, { header }: Guard): Promise<CallerResponse> {
    return responseOf(this.client.remove(id, header === undefined ? {} : { 'if-match': header }));
  }

  list(query: Query, isBracketed: boolean, held?: string): Promise<CallerResponse> {
    return this.get(pathOf(query, isBracketed), held);
  }

  tree(held?: string): Promise<CallerResponse> {
    return this.get('/shipments/methods/tree', held);
  }

  events(orderId: string): Promise<CallerResponse> {
    return responseOf(this.client.events(orderId));
  }

  private get(path: string, held: string | undefined): Promise<CallerResponse> {
    const headers: Record<string, string> = held === undefined ? {} : { 'if-none-match': held };
    return responseOf(this.client.send('GET', `${this.client.base}${path}`, undefined, headers));
  }
}

async function responseOf(sent: Promise<TestResponse<unknown>>): Promise<CallerResponse> {
  const { status, body, headers } = await sent;
  return { status, body, etag: headers.get('etag') };
}

/** Calls the services, with or without a transaction. */
export class ServiceCaller implements Caller {
  private readonly methods: ShippingMethodsService;
  private readonly orderEvents: OrderEventsService;

  constructor(
    { nest }: TestApp,
    readonly project: string,
    private readonly options: ShippingCallOptions,
  ) {
    this.methods = nest.get(ShippingMethodsService);
    this.orderEvents = nest.get(OrderEventsService);
  }

  create(sent: Sent): Promise<CallerResponse> {
    return refusedOr(201, this.methods.create(this.project, sent, this.options));
  }

  update(id: string, sent: Sent, { versions }: Guard): Promise<CallerResponse> {
    return refusedOr(
      200,
      this.methods.update(this.project, id, sent, { ...this.options, etag: tagsOf(versions) }),
    );
  }

  upsert(sent: Sent): Promise<CallerResponse> {
    return refusedOr(200, this.methods.upsert(this.project, sent, this.options));
  }

  remove(id: string, { versions }: Guard): Promise<CallerResponse> {
    return refusedOr(204, this.methods.remove(this.project, id, { ...this.options, etag: tagsOf(versions) }));
  }

  list(query: Query): Promise<CallerResponse> {
    return refusedOr(200, this.methods.list(this.project, query as object, this.options));
  }

  tree(): Promise<CallerResponse> {
    return refusedOr(200, this.methods.tree(this.project, this.options));
  }

  findActive(): Promise<CallerResponse> {
    return refusedOr(200, this.methods.findActive(this.project, this.options));
  }

  find(id: string): Promise<CallerResponse> {
    return refusedOr(200, this.methods.findOrFail(this.project, id, this.options));
  }

  findByCodes(carrierCode: string, methodCode: string): Promise<CallerResponse> {
    return refusedOr(
      200,
      this.methods.findByCodes(
        this.project,
        { carrier_code: carrierCode, method_code: methodCode },
        this.options,
      ),
    );
  }

  record(orderId: string, event: NewOrderEvent): Promise<CallerResponse> {
    return refusedOr(201, this.orderEvents.record({ projectId: this.project, orderId }, event, this.options));
  }

  page(orderId: string, query: OrderEventQuery): Promise<OrderEventPage> {
    return this.orderEvents.list({ projectId: this.project, orderId }, query, this.options);
  }

  async events(orderId: string): Promise<CallerResponse> {
    return {
      status: 200,
      body: { data: await this.orderEvents.findAll({ projectId: this.project, orderId }, this.options) },
    };
  }
}

async function refusedOr(status: number, call: Promise<unknown>): Promise<CallerResponse> {
  try {
    return { status, body: await call };
  } catch (error) {
    if (!(error instanceof ShippingHttpError)) throw error;
    return { status: error.problem.status, body: error.problem };
  }
}

function tagsOf(versions: readonly number[] | undefined): string[] | undefined {
  return versions?.map((version) => `"${version}"`);
}
