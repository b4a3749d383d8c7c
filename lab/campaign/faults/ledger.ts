import { orderIdOf } from '../../../apps/sample/src/shop/checkout.service.js';
import { type TestResponse, Client } from '../../../test/support/client.js';

export interface OneResponse {
  /** 0 when there was none. */
  status: number;
  /** The code of the problem, or of the error that prevented a response. */
  code: string;
  milliseconds: number;
  /** `performance.now()` when it came. */
  at: number;
}

export interface Reckoning {
  acknowledged: number;
  /** Acknowledged, but not stored. */
  lost: number;
  /** Stored, although it was never sent, or was refused. */
  phantom: number;
  /** Without a response, or with an unknown outcome: it may be stored or not. */
  open: number;
}

/** A method as its writer knows it. The label shows the last change. */
interface Known {
  label: string;
  /** The other label that it may have when the outcome of the change is unknown. */
  orLabel?: string;
  /** The outcome of placing an order with it. */
  order?: 'acknowledged' | 'open' | 'refused';
}

/** Far below `maxMethods`. */
const methodsOfProject = 500;

/**
 * Writers that remember their responses, so that these can be compared with what is stored afterwards. Each writer
 * creates a method, changes it and places an order with it, again and again, whatever the responses are.
 */
export class Ledger {
  private readonly created = new Map<string, Known>();
  private readonly open = new Set<string>();
  private readonly refused = new Set<string>();
  readonly responses: OneResponse[] = [];
  private stopped = false;
  private next = 0;

  /** @param name of its projects */
  constructor(private readonly name: string) {}

  /** Writes until `stop`. @param origin called for each request, because the host may have a new port */
  async write(writers: number, origin: () => string): Promise<void> {
    this.stopped = false;
    await Promise.all(
      Array.from({ length: writers }, async () => {
        while (!this.stopped) await this.one(this.shop(origin(), this.next), `m${this.next++}`);
      }),
    );
  }

  stop(): void {
    this.stopped = true;
  }

  /** Resolves when so many writes are acknowledged in total. */
  async acknowledged(count: number): Promise<void> {
    while (this.yes < count) await new Promise((soon) => setImmediate(soon));
  }

  get yes(): number {
    return this.responses.filter(({ status }) => status >= 200 && status < 300).length;
  }

  /** Compares the responses with what is stored. */
  async reckon(origin: string): Promise<Reckoning> {
    const there = new Map<string, string>();
    for (let number = 0; number < this.next; number += methodsOfProject)
      for (const [code, label] of await labelsOf(this.shop(origin, number))) there.set(code, label);
    const reckoning = { acknowledged: this.yes, lost: 0, phantom: 0, open: this.open.size };
    for (const [code, known] of this.created) {
      const label = there.get(code);
      if (label !== known.label && (label === undefined || label !== known.orLabel)) reckoning.lost++;
      if (!known.order) continue;
      const { body } = await this.shop(origin, Number(code.slice(1))).events(orderIdOf(code));
      const events = body.data.length;
      if (known.order === 'acknowledged' && events !== 2) reckoning.lost++;
      if (known.order === 'refused' && events !== 0) reckoning.phantom++;
      if (known.order === 'open' && events !== 0 && events !== 2) reckoning.phantom++;
    }
    for (const code of there.keys()) {
      if (!this.created.has(code) && !this.open.has(code)) reckoning.phantom++;
    }
    return reckoning;
  }

  /** That of the method with this number. */
  private shop(origin: string, number: number): Client {
    return new Client(origin, `${this.name}-${Math.floor(number / methodsOfProject)}`);
  }

  private async one(shop: Client, code: string): Promise<void> {
    const method = { carrier_code: 'ups', method_code: code, method_label: `first ${code}` };
    const created = await this.ask(() => shop.create(method));
    if (isOpen(created)) this.open.add(code);
    if (created.status !== 201) return void this.refused.add(code);
    const known: Known = { label: method.method_label };
    this.created.set(code, known);

    const changed = `second ${code}`;
    const update = await this.ask(() => shop.update(created.id ?? '', { ...method, method_label: changed }));
    if (update.status === 200) known.label = changed;
    if (isOpen(update)) known.orLabel = changed;

    const placing = await this.ask(() =>
      shop.send(
        'POST',
        `/shops/${shop.project}/orders`,
        { carrier_code: 'ups', method_code: code },
        { 'idempotency-key': code },
      ),
    );
    known.order = isOpen(placing) ? 'open' : 'refused';
    if (placing.status === 201) known.order = 'acknowledged';
  }

  private async ask(request: () => Promise<TestResponse<unknown>>): Promise<OneResponse & { id?: string }> {
    const sent = performance.now();
    const given = await request().then(
      ({ status, body }) => ({ status, ...(body as { code?: string; id?: string }) }),
      (error: Error) => ({ status: 0, code: (error.cause as { code?: string }).code, id: undefined }),
    );
    const at = performance.now();
    const response = { status: given.status, code: given.code ?? '', milliseconds: at - sent, at };
    this.responses.push(response);
    // A host that is down refuses at once. The pause leaves the processor to others.
    if (given.status === 0) await new Promise((soon) => setTimeout(soon, 5));
    return { ...response, ...(given.id !== undefined && { id: given.id }) };
  }
}

/** `database_unavailable` promises that nothing was changed. These responses promise nothing. */
function isOpen({ status, code }: OneResponse): boolean {
  return (status === 0 && code !== 'ECONNREFUSED') || code === 'outcome_unknown';
}

async function labelsOf(shop: Client): Promise<Map<string, string>> {
  const labels = new Map<string, string>();
  for (let page = 1; ; page++) {
    const { body } = await shop.list(`page=${page}&per_page=100`);
    for (const { method_code, method_label } of body.data) labels.set(method_code, method_label);
    if (body.data.length < 100) return labels;
  }
}

/** `0 of 1,234 acknowledged lost, 0 phantom, 7 left open`. */
export function inWords({ acknowledged, lost, phantom, open }: Reckoning): string {
  return `${lost} of ${acknowledged.toLocaleString('en-US')} acknowledged lost, ${phantom} phantom, ${open} left open`;
}
