import { Client } from '../../../test/support/client.js';
import { Proxy } from '../../../test/support/proxy.js';
import { type SampleProcess } from '../../../test/support/sample-process.js';
import { startHost } from './start-host.js';
import { createDatabase } from './host-database.js';
import { type ServerDatabase } from './server-database.js';

/** The sample host in its own process, which reaches its database server through a proxy. */
export class ProxiedHost {
  private constructor(
    readonly database: ServerDatabase,
    readonly proxy: Proxy,
    readonly sample: SampleProcess,
  ) {}

  static async start(server?: string): Promise<ProxiedHost> {
    const database = await createDatabase(server);
    const proxy = await Proxy.before(database.target);
    const sample = await startHost({ DATABASE_URL: database.urlAt(proxy.port) });
    return new ProxiedHost(database, proxy, sample);
  }

  get origin(): string {
    return this.sample.origin;
  }

  shop(project: string): Client {
    return new Client(this.origin, project);
  }

  /** @throws Error when the response takes much longer than the one second of its patience */
  async isReady(): Promise<boolean> {
    const signal = AbortSignal.timeout(2_500);
    return (await fetch(`${this.origin}/health`, { signal })).status === 200;
  }

  /** Whether the host responds to a request that needs no database. */
  async isLive(): Promise<boolean> {
    return (await fetch(this.origin)).status === 200;
  }

  /** Milliseconds until a write and the readiness check succeed, tried again and again. */
  async wellAfter(project: string): Promise<number> {
    const since = performance.now();
    const shop = this.shop(project);
    for (let attempt = 0; ; attempt++) {
      const method_code = `well-${since}-${attempt}`;
      const { status } = await shop.create({ carrier_code: 'ups', method_code, method_label: 'Well' });
      if (status === 201 && (await this.isReady())) return Math.round(performance.now() - since);
    }
  }

  async close(): Promise<void> {
    await this.abandon();
    await this.database.drop();
  }

  /** Does not drop the database, which is removed with its server. */
  async abandon(): Promise<void> {
    await this.sample.kill();
    await this.proxy.close();
  }
}
