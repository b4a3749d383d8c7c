import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Target {
  host: string;
  port: number;
}

/** Where a connection is cut: what the client sent is lost, or was executed and the answer is lost, or either. */
export type Cut = 'before' | 'during' | 'after';

interface Pair {
  client: Socket;
  server: Socket;
  /** Set when bytes of it were lost: it stays silent for ever. */
  isLost: boolean;
  /** Set until the server has answered what was sent. */
  cutAtAnswer: boolean;
}

/** A TCP proxy before a database, with the faults of a network. */
export class Proxy {
  private readonly pairs = new Set<Pair>();
  private mode: 'pass' | 'hold' | 'lose' = 'pass';
  /** Prepared statements, by name. */
  private readonly prepared = new Map<string, string>();
  private held: (() => void)[] = [];
  private cutting: { text: RegExp; at: Cut } | undefined;
  /** To each side, on everything. */
  delayMs = 0;
  cuts = 0;

  private constructor(
    private readonly server: Server,
    public target: Target,
  ) {}

  static async before(target: Target): Promise<Proxy> {
    const server = createServer({ noDelay: true });
    const proxy = new Proxy(server, target);
    server.on('connection', (client: Socket) => proxy.accept(client));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Nothing gets through; at the end all that was sent arrives, as TCP sends it again. */
  hold(): void {
    this.mode = 'hold';
  }

  /** Nothing gets through; connections on which something was sent stay silent for ever, as behind a new NAT. */
  lose(): void {
    this.mode = 'lose';
  }

  /** The end of any fault. */
  heal(): void {
    this.mode = 'pass';
    this.delayMs = 0;
    const held = this.held;
    this.held = [];
    for (const deliver of held) deliver();
  }

  /** Cuts one connection, the first that sends a statement like this, or executes one it has prepared. */
  cutOnceAt(text: RegExp, at: Cut): void {
    this.cutting = { text, at };
  }

  /** Resolves at the next connection. */
  async connected(): Promise<void> {
    await once(this.server, 'connection');
  }

  /** Connections of a server that is gone. */
  resetAll(): void {
    for (const pair of this.pairs) this.destroy(pair);
  }

  async close(): Promise<void> {
    this.resetAll();
    await new Promise((closed) => this.server.close(closed));
  }

  private accept(client: Socket): void {
    const server = connect({ ...this.target, noDelay: true });
    const pair: Pair = { client, server, isLost: false, cutAtAnswer: false };
    this.pairs.add(pair);
    client.on('data', (chunk: Buffer) => void this.toServer(pair, chunk));
    server.on('data', (chunk: Buffer) => {
      if (pair.cutAtAnswer) this.destroy(pair);
      else void this.pass(pair, client, chunk);
    });
    for (const side of [client, server]) {
      side.on('error', () => this.destroy(pair));
      side.on('close', () => this.destroy(pair));
    }
  }

  private async toServer(pair: Pair, chunk: Buffer): Promise<void> {
    const at = this.cutting?.text.test(this.statementsIn(chunk)) ? this.cutting.at : undefined;
    if (at === undefined) return this.pass(pair, pair.server, chunk);
    this.cutting = undefined;
    this.cuts++;
    if (at === 'before') return this.destroy(pair);
    pair.cutAtAnswer = true;
    pair.server.write(chunk);
    if (at === 'during') {
      pair.client.destroy();
      pair.server.end();
    }
  }

  /** What a message of the protocol says, with the texts of the prepared statements that it names. */
  private statementsIn(chunk: Buffer): string {
    const said = chunk.toString('latin1');
    for (const [, name = '', text = ''] of said.matchAll(/P[^]{4}(\w+)\0([^\0]+)\0/g)) {
      this.prepared.set(name, text);
    }
    const named = [...this.prepared].filter(([name]) => said.includes(`\0${name}\0`));
    return [said, ...named.map(([, text]) => text)].join('\n');
  }

  private async pass(pair: Pair, to: Socket, chunk: Buffer): Promise<void> {
    if (this.mode === 'lose') pair.isLost = true;
    if (pair.isLost) return;
    if (this.mode === 'hold') {
      this.held.push(() => to.write(chunk));
      return;
    }
    // Equal delays keep the order.
    if (this.delayMs > 0) await delay(this.delayMs);
    if (!to.destroyed) to.write(chunk);
  }

  private destroy(pair: Pair): void {
    this.pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  }
}
