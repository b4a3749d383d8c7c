import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  type ShippingMethodDto,
  type ShippingMethodPage,
} from '../shipping-methods/dto/shipping-method.dto.js';
import { defaultPath, projectParameterOf } from '../http/path.js';
import { type OrderEventsService } from '../order-events/order-events.service.js';

/** The JSON of a success, as the host sends it. */
export type Envelope = Readonly<Record<string, unknown>>;

/** The running host, as the contract suite reaches it. */
export interface ContractTarget {
  /** For instance `http://127.0.0.1:3000`. */
  origin: string;
  /**
   * The whole path of the routes, with your global prefix and a parameter for the project.
   * @default 'api/projects/:project_id/sales/orders'
   */
  path?: string | undefined;
  /** Sent with every request, for the host's guards. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Returns a project without any methods, to which the headers give access. Each check calls it, and removes the
   * methods that it makes. So the function may return the same project each time if you run the checks one after
   * another. Without this function, each check invents a project.
   */
  projectId?: (() => string | Promise<string>) | undefined;
  /**
   * The option `defaultsProjectId` of the module. The headers must give access to this project, too.
   * @default 'default'
   */
  defaultsProjectId?: string | undefined;
  /** The instance from `app.get(OrderEventsService)`. It records the events that the checks then read by the route. */
  orderEvents?: OrderEventsService | undefined;
  /**
   * Takes the value out of the envelope of the host's interceptors: `unwrap: (body) => body.data`. Only responses with
   * a status below 400 are unwrapped: interceptors do not see errors, which the module sends as problems.
   */
  unwrap?: ((body: Envelope) => unknown) | undefined;
}

export interface ContractResponse<Body = unknown> {
  status: number;
  headers: Headers;
  text: string;
  /** The error of a check that finds that the response is not one of ours. */
  notOurs: string;
  /**
   * The body without its envelope. It is `{}` if the body is not a JSON object. The fields of an error depend on the
   * host's filters.
   */
  body: Body & { errors?: Record<string, unknown>[]; [field: string]: unknown };
}

/** Why a response may not be ours. A failed check lists these causes. */
const causes = [
  'This response is not one of ShippingModule. What may be wrong:',
  '- "path" of the target is not the whole path of the routes, or "headers" do not open the project.',
  '- A limit of requests is too low: the suite sends about fifty within a few seconds.',
  '- Another route of your application takes the path first, such as a catch-all in a controller of the root module. Nest ' +
    'registers the routes of the root module before ours. Move it into a module that is imported after ShippingModule.',
  '- An interceptor wraps responses. Then set "unwrap" of the target.',
].join('\n');

/** One project of the host under test. */
export class ContractClient {
  readonly base: string;
  readonly methods: string;
  /** The last response with a status from 400. A failed check shows it. */
  lastError = '';
  private readonly created: string[] = [];

  /** Returns a client for a project that has no methods. */
  static async of(target: ContractTarget): Promise<ContractClient> {
    return new ContractClient(target, (await target.projectId?.()) ?? `contract-${randomUUID()}`);
  }

  constructor(
    readonly target: ContractTarget,
    readonly project: string,
  ) {
    const path = target.path ?? defaultPath;
    const parameter = `:${projectParameterOf(path, 'The path of the target')}`;
    this.base = path.replace(parameter, project).replace(/^\/?/, '/');
    this.methods = `${this.base}/shipments/methods`;
  }

  async create(body?: object): Promise<ContractResponse<ShippingMethodDto>> {
    const response = await this.send<ShippingMethodDto>('POST', this.methods, body);
    if (response.status === 201) {
      assert.ok('id' in response.body, response.notOurs);
      this.created.push(response.body.id);
    }
    return response;
  }

  /** Removes the methods that `create` has made, if they still exist. */
  async clear(): Promise<void> {
    for (const id of this.created) await this.send('DELETE', `${this.methods}/${id}`);
  }

  list(query = ''): Promise<ContractResponse<ShippingMethodPage>> {
    return this.read(`${this.methods}?${query}`);
  }

  /** Reads one of the three GET routes. Each of them has `data` in a response with 200. */
  async read<Body>(path: string, headers = {}): Promise<ContractResponse<Body>> {
    const response = await this.send<Body>('GET', path, undefined, headers);
    assert.ok(response.status !== 200 || Array.isArray(response.body['data']), response.notOurs);
    return response;
  }

  update(id: string, body: object, ifMatch?: string): Promise<ContractResponse<ShippingMethodDto>> {
    return this.send('PATCH', `${this.methods}/${id}`, body, ifMatch ? { 'if-match': ifMatch } : {});
  }

  async send<Body>(
    method: string,
    path: string,
    body?: object,
    headers = {},
  ): Promise<ContractResponse<Body>> {
    const response = await fetch(new URL(path, this.target.origin), {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...this.target.headers, ...headers },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    const sent = text.startsWith('{') ? (JSON.parse(text) as Envelope) : {};
    const description = `${method} ${path} responds with ${response.status}: ${text.slice(0, 500)}`;
    const notOurs = `${description}\n${causes}`;
    // Our only 404 has the code `method_not_found`. Any other 404 means that the path leads to no route of ours.
    const isOtherRoute = response.status === 404 && sent['code'] !== 'method_not_found';
    assert.ok(![401, 403, 429].includes(response.status) && !isOtherRoute, notOurs);
    if (response.status >= 400) this.lastError = description;
    const { unwrap } = this.target;
    const value = unwrap && response.ok && text !== '' ? unwrap(sent) : sent;
    const found = typeof value === 'object' && value !== null ? value : {};
    return {
      status: response.status,
      headers: response.headers,
      text,
      notOurs,
      body: found as ContractResponse<Body>['body'],
    };
  }
}
