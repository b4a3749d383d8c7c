/** What a form edits. `openapi-typescript` makes the full type from the OpenAPI document. */
export interface Method {
  id: string;
  etag: string;
  carrier_code: string;
  method_code: string;
  method_label: string;
  carrier_label?: string | null;
  is_active?: boolean;
  sort_order?: number;
  meta?: object;
  use_default?: boolean | readonly string[];
}

export interface MethodPage {
  data: Method[];
  meta: { total: number };
}

/** An error. `fields` has the first violation of each field: `{ method_label: '…' }`. */
export class ApiError extends Error {
  readonly fields: Record<string, string> = {};

  constructor(
    readonly status: number,
    readonly problem: { code?: string; detail?: string; errors?: { pointer?: string; detail: string }[] },
  ) {
    super(problem.detail ?? `The server responded with ${status}.`);
    for (const { pointer = '', detail } of problem.errors ?? []) {
      const name = pointer.split('/')[1];
      if (name) this.fields[name] ??= detail.replace(/^\S+ /, '');
    }
  }
}

/** @param url the path of the methods, such as `/api/projects/acme/sales/orders/shipments/methods` */
export class ShippingApi {
  constructor(
    readonly url: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  list(query: Record<string, string | number>): Promise<MethodPage> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) search.set(name, String(value));
    return this.send('GET', `?${search}`);
  }

  /** There is no route for one method, so the list is asked for it. */
  async find(id: string): Promise<Method> {
    const { data } = await this.list({ filter: JSON.stringify({ id }) });
    if (!data[0]) throw new ApiError(404, { detail: 'This method does not exist any more.' });
    return data[0];
  }

  create(values: object): Promise<Method> {
    return this.send('POST', '', values);
  }

  /** Adds the three fields that each PATCH needs. @param etag the method as the user has seen it */
  update(
    { id, carrier_code, method_code, method_label }: Method,
    changed: object,
    etag?: string,
  ): Promise<Method> {
    return this.send('PATCH', `/${id}`, { carrier_code, method_code, method_label, ...changed }, etag);
  }

  remove(id: string, etag?: string): Promise<void> {
    return this.send('DELETE', `/${id}`, undefined, etag);
  }

  private async send<Result>(method: string, path: string, body?: object, etag?: string): Promise<Result> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...this.headers,
        ...(body && { 'content-type': 'application/json' }),
        ...(etag && { 'if-match': etag }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const value: unknown = text === '' ? undefined : JSON.parse(text);
    if (!response.ok) throw new ApiError(response.status, (value ?? {}) as ApiError['problem']);
    return value as Result;
  }
}
