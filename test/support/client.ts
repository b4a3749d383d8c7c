import {
  type ProblemDetails,
  type ShippingMethodDto,
  type ShippingMethodPage,
  type ShippingMethodTree,
} from 'nestjs-shipping';

/** The body of a create. */
export const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

export interface TestResponse<Body> {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

type Headed = Record<string, string>;

/** The six routes of one project, as a client calls them. */
export class Client {
  constructor(
    readonly origin: string,
    readonly project: string,
  ) {}

  get base(): string {
    return `/api/projects/${this.project}/sales/orders`;
  }

  create(body: unknown, headers: Headed = {}): Promise<TestResponse<ShippingMethodDto & ProblemDetails>> {
    return this.send('POST', `${this.base}/shipments/methods`, body, headers);
  }

  list(query = '', headers: Headed = {}): Promise<TestResponse<ShippingMethodPage & ProblemDetails>> {
    return this.send('GET', `${this.base}/shipments/methods${query && `?${query}`}`, undefined, headers);
  }

  tree(headers: Headed = {}): Promise<TestResponse<ShippingMethodTree & ProblemDetails>> {
    return this.send('GET', `${this.base}/shipments/methods/tree`, undefined, headers);
  }

  update(
    id: string,
    body: unknown,
    headers: Headed = {},
  ): Promise<TestResponse<ShippingMethodDto & ProblemDetails>> {
    return this.send('PATCH', `${this.base}/shipments/methods/${id}`, body, headers);
  }

  remove(id: string, headers: Headed = {}): Promise<TestResponse<ProblemDetails>> {
    return this.send('DELETE', `${this.base}/shipments/methods/${id}`, undefined, headers);
  }

  events(
    order: string,
  ): Promise<TestResponse<{ data: { type: string; message: string | null }[] } & ProblemDetails>> {
    return this.send('GET', `${this.base}/${order}/events`);
  }

  /** @param body a string is sent as it is, anything else as JSON */
  async send<Body>(
    method: string,
    path: string,
    body?: unknown,
    headers: Headed = {},
  ): Promise<TestResponse<Body>> {
    const response = await fetch(this.origin + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson && text ? JSON.parse(text) : undefined) as Body,
    };
  }
}

let projects = 0;

/** A project that no other test uses. */
export function freshProject(): string {
  return `p${process.pid}-${++projects}`;
}
