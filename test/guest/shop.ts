import { randomUUID } from 'node:crypto';
import { OrderEventsService } from 'nestjs-shipping';
import { type GuestHost } from './guest-host.js';

export interface TestResponse {
  status: number;
  text: string;
  headers: Headers;
}

export const ground = {
  carrier_code: 'ups',
  method_code: '03',
  method_label: 'UPS Ground',
  meta: { a_b: [{ c_d: 1 }] },
};

export async function send(
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: object,
): Promise<TestResponse> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** One project of the host, under one set-up. */
export class Shop {
  readonly project = `guest-${randomUUID()}`;
  readonly methods: string;
  readonly events: string;
  readonly own: string;

  constructor(
    readonly host: GuestHost,
    readonly setUp: string,
    ours = host.ours,
  ) {
    this.methods = `${ours}/${this.project}/sales/orders/shipments/methods`;
    this.events = `${ours}/${this.project}/sales/orders/order/events`;
    this.own = `${host.own}/${this.project}`;
  }

  send(
    method: string,
    url: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<TestResponse> {
    return send(method, url, { ...headers, 'x-set-up': this.setUp }, body);
  }

  /** Stores a method without any set-up. @returns the URL of the method */
  async stored(): Promise<string> {
    const { headers } = await send('POST', this.methods, {}, ground);
    return new URL(headers.get('location') ?? '', this.methods).href;
  }

  async recorded(): Promise<void> {
    const event = [{ projectId: this.project, orderId: 'order' }, { type: 'order.placed' }] as const;
    await this.host.app.get(OrderEventsService, { strict: false }).record(...event);
  }
}
