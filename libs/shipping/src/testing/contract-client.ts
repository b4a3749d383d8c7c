import { randomUUID } from 'node:crypto';
import { defaultPath } from '../shipping.options.js';
import { type OrderEvents } from '../order-events/order-events.service.js';

/** The running host, as the contract suite reaches it. */
export interface ContractTarget {
  /** For instance `http://127.0.0.1:3000`. */
  origin: string;
  /** Where the routes are, with `:project_id`; by default the module's own default. */
  path?: string;
  /** Sent with every request, for the host's guards. */
  headers?: Record<string, string>;
  /** A project that has nothing yet and that the headers open; by default a new name for each check. */
  projectId?: () => string;
  /** The module's `defaultsProjectId`, which the headers must open too; by default `default`. */
  defaultsProjectId?: string;
  /** From `app.get(OrderEvents)`: the route reads what this service records. */
  orderEvents?: OrderEvents;
}

export interface Answer<Body> {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

/** What a refusal has, whatever filter of the host's wrote it. */
export interface Refusal {
  code: string;
  errors?: { pointer?: string; parameter?: string; code: string; allowed?: string[] }[];
  [extension: string]: unknown;
}

/** One project of the host under test. */
export class ContractClient {
  readonly project: string;

  constructor(
    readonly target: ContractTarget,
    project = target.projectId?.() ?? `contract-${randomUUID()}`,
  ) {
    this.project = project;
  }

  get methods(): string {
    return `${this.base}/shipments/methods`;
  }

  get base(): string {
    const path = (this.target.path ?? defaultPath).replace(':project_id', this.project);
    return `/${path.replace(/^\//, '')}`;
  }

  async send<Body>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    const response = await fetch(this.target.origin + path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...this.target.headers,
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (text.startsWith('{') ? JSON.parse(text) : undefined) as Body,
    };
  }
}
