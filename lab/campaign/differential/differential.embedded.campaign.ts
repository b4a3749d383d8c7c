import { Agent } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EngineDatabase, mariadb, mysql, postgres } from '../../../test/engines/databases.js';
import { type EngineHost } from '../../../test/engines/host.js';
import { send } from '../../../test/support/bad-inputs-wire.js';
import { counted, progress, report } from '../figures.js';
import { brokenRequest } from '../fuzz/broken.js';
import { filledIn, type FuzzRequest, KnownIds, validRequest } from '../fuzz/requests.js';
import { seed, sized } from '../size.js';
import { type Build, buildAt, hostOfBuild } from './builds.js';

// Sends the same requests to two builds of the package, and compares their responses:
// `DIFFERENTIAL_BUILDS=/old/libs/shipping/dist/esm,/new/libs/shipping/dist/esm npm run test:campaign -- differential`.
// DIFFERENTIAL_ENGINE=mariadb or mysql takes such a server rather than PostgreSQL, DIFFERENTIAL_CALLS=1000 another
// number of requests.

const paths = (process.env['DIFFERENTIAL_BUILDS'] ?? '').split(',').filter((path) => path !== '');
const engine = { mariadb, mysql }[process.env['DIFFERENTIAL_ENGINE'] ?? ''] ?? postgres;
const wanted = Number(process.env['DIFFERENTIAL_CALLS'] ?? sized({ ci: 8_000, long: 100_000 }));
const agent = new Agent({ keepAlive: true });
const compared = ['content-type', 'etag', 'location', 'cache-control', 'vary', 'allow'];

/**
 * Differs between two builds that do the same: ids, times and opaque ETags. Each gets the number of its first
 * appearance.
 */
const opaque = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{12}|(?<=^etag: )"\D.*/gm;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

class Side {
  readonly known = new KnownIds();
  private readonly names = new Map<string, string>();

  constructor(private readonly host: EngineHost) {}

  async responseTo(request: FuzzRequest): Promise<string> {
    const { method, headers, body } = request;
    const target = filledIn(request.target, this.known);
    const response = await send(this.host.origin, method, target, headers, body, agent);
    this.known.learn(response);
    const lines = compared.map((name) => `${name}: ${String(response.headers[name])}`);
    // The sentences of errors may be improved.
    const text = compact(response.text).replace(/"detail":"(\\.|[^"\\])*"/g, '"detail":""');
    return [`${response.status}`, ...lines, text]
      .join('\n')
      .replace(time, 'a time')
      .replace(opaque, (found) => this.nameOf(found));
  }

  private nameOf(found: string): string {
    const name = this.names.get(found) ?? `#${this.names.size}`;
    this.names.set(found, name);
    return name;
  }
}

/** Blanks between the parts of JSON have no meaning. */
function compact(text: string): string {
  return text.startsWith('{') ? JSON.stringify(JSON.parse(text)) : text;
}

describe.skipIf(paths.length !== 2 || engine.missing !== undefined)('two builds of the package', () => {
  const builds: Build[] = [];
  const databases: EngineDatabase[] = [];
  const hosts: EngineHost[] = [];
  beforeAll(async () => {
    for (const [index, path] of paths.entries()) {
      const build = await buildAt(index === 0 ? 'old' : 'new', path);
      builds.push(build);
      const database = await engine.create();
      databases.push(database);
      // A small number, so that projects are sometimes full.
      const host = await hostOfBuild(build, database, { maxMethods: 6 });
      hosts.push(host);
      await host.events.record({ projectId: 'p1', orderId: 'ups' }, { type: 'order.placed' });
    }
  });
  afterAll(async () => {
    agent.destroy();
    for (const host of hosts) await host.close();
    for (const database of databases) await database.drop();
    for (const build of builds) await build.remove();
  });

  it('give the same responses to the same requests', async () => {
    const sides = hosts.map((host) => new Side(host));
    const differences: unknown[] = [];
    let done = 0;
    for (const request of fc.sample(fc.oneof(validRequest, brokenRequest), { seed, numRuns: wanted })) {
      progress('requests', ++done, wanted);
      const [one, other] = await Promise.all(sides.map((side) => side.responseTo(request)));
      if (one !== other) differences.push({ request, one, other });
    }

    expect(differences.slice(0, 3)).toEqual([]);
    report({
      name: 'the same requests to two builds',
      database: engine.name,
      done: `${counted(done)} requests, ${differences.length} different responses`,
      criterion: '0 different responses',
      met: done === wanted,
    });
  });
});
