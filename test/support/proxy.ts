import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Target {
  host: string;
  port: number;
}

/** When a connection is cut: before the statement arrives, after it was executed, or at a random moment between. */
export type Cut = 'before' | 'during' | 'after';

interface Pair {
  client: Socket;
  server: Socket;
  /** Set when some of its bytes were lost. Then it stays silent for ever. */
  isLost: boolean;
  /** The connection is cut when the server responds. */
  cutAtResponse: boolean;
}

/** The message of PostgreSQL that ends the opening of a connection, and each response. */
const readyForQuery = Buffer.from('Z\0\0\0\x05I');
const terminated = errorResponse('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');

function errorResponse(fields: string): Buffer {
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
}

/** A TCP proxy in front of a database, which imitates the failures of a network. */
export class Proxy {
  private readonly pairs = new Set<Pair>();
  private mode: 'pass' | 'hold' | 'lose' | 'end' = 'pass';
  private held: (() => void)[] = [];
  private cutting: { text: RegExp; at: Cut } | undefined;
  /** The delay of everything in each direction. */
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

  /** Nothing gets through. At the end all of it arrives, as when TCP retransmits. */
  hold(): void {
    this.mode = 'hold';
  }

  /** Nothing gets through. Connections that lost bytes stay silent for ever, as behind a restarted NAT. */
  lose(): void {
    this.mode = 'lose';
  }

  /** PostgreSQL seems to end each connection just as it opens: both messages arrive in one packet. */
  endWhenOpened(): void {
    this.mode = 'end';
  }

  /** Ends every failure. */
  heal(): void {
    this.mode = 'pass';
    this.delayMs = 0;
    const held = this.held;
    this.held = [];
    for (const deliver of held) deliver();
  }

  /** Cuts the first connection that executes a statement like this. */
  cutOnceAt(text: RegExp, at: Cut): void {
    this.cutting = { text, at };
  }

  /** Resolves at the next connection. */
  async connected(): Promise<void> {
    await once(this.server, 'connection');
  }

  /** Closes all connections, like a server that has gone. */
  resetAll(): void {
    for (const pair of this.pairs) this.destroy(pair);
  }

  async close(): Promise<void> {
    this.resetAll();
    await new Promise((closed) => this.server.close(closed));
  }

  private accept(client: Socket): void {
    const server = connect({ ...this.target, noDelay: true });
    const pair: Pair = { client, server, isLost: false, cutAtResponse: false };
    this.pairs.add(pair);
    client.on('data', (chunk: Buffer) => void this.toServer(pair, chunk));
    server.on('data', (chunk: Buffer) => {
      if (pair.cutAtResponse) this.destroy(pair);
      else if (this.mode === 'end' && chunk.subarray(-6).equals(readyForQuery))
        client.end(Buffer.concat([chunk, terminated]));
      else void this.pass(pair, client, chunk);
    });
    for (const side of [client, server]) {
      side.on('error', () => this.destroy(pair));
      side.on('close', () => this.destroy(pair));
    }
  }

  private async toServer(pair: Pair, chunk: Buffer): Promise<void> {
    // TypeORM sends the text of each statement as it is, on each engine.
    const at = this.cutting?.text.test(chunk.toString('latin1')) ? this.cutting.at : undefined;
    if (at === undefined) return this.pass(pair, pair.server, chunk);
    this.cutting = undefined;
    this.cuts++;
    if (at === 'before') return this.destroy(pair);
    pair.cutAtResponse = true;
    pair.server.write(chunk);
    if (at === 'during') {
      pair.client.destroy();
      pair.server.end();
    }
  }

  private async pass(pair: Pair, to: Socket, chunk: Buffer): Promise<void> {
    if (this.mode === 'lose') pair.isLost = true;
    if (pair.isLost) return;
    if (this.mode === 'hold') {
      this.held.push(() => to.write(chunk));
      return;
    }
    // The delay is the same for all, so the order stays.
    if (this.delayMs > 0) await delay(this.delayMs);
    if (!to.destroyed) to.write(chunk);
  }

  private destroy(pair: Pair): void {
    this.pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  }
}
