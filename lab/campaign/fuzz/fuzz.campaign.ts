import { Agent } from 'node:http';
import fc from 'fast-check';
import { OrderEventsService } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapters, type TestApp, testApp } from '../../../test/support/app.js';
import { send } from '../../../test/support/bad-inputs-wire.js';
import { counted, progress, report } from '../figures.js';
import { isLong, seed, sized } from '../size.js';
import { wrongWith } from './responses.js';
import { brokenRequest } from './broken.js';
import { oddTexts } from './odd.js';
import { listsWith, requestsWith } from './places.js';
import { filledIn, type FuzzRequest, KnownIds, validRequest } from './requests.js';

/** In total, for both adapters. */
const requests = sized({ ci: 7_000, long: 100_000 });

describe.each(adapters)('requests made from the OpenAPI document, on %s', (adapter) => {
  let app: TestApp;
  let agent: Agent;
  const known = new KnownIds();
  beforeAll(async () => {
    app = await testApp({ adapter });
    agent = new Agent({ keepAlive: true });
    await app.nest
      .get(OrderEventsService)
      .record({ projectId: 'p1', orderId: 'ups' }, { type: 'order.placed' });
  });
  afterAll(async () => {
    agent?.destroy();
    await app?.close();
  });

  it('get responses as the document says, and never with a 5xx', async () => {
    const numRuns = requests / adapters.length;
    const statuses = new Map<number, number>();
    let sent = 0;
    const responded = async (request: FuzzRequest): Promise<void> => {
      const target = filledIn(request.target, known);
      const response = await send(app.origin, request.method, target, request.headers, request.body, agent);

      progress(adapter, ++sent, numRuns);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      known.learn(response);
      const wrong = wrongWith(request, response);
      if (wrong !== undefined) throw new Error(`${wrong}: ${response.status} ${response.text.slice(0, 500)}`);
    };

    const any = fc.oneof(validRequest, brokenRequest, brokenRequest);

    // Every odd text in every place, once: in CI's size, on one of the adapters. Random requests would not have all of
    // these combinations.
    const turn = adapters.indexOf(adapter);
    const texts = oddTexts.filter((_text, index) => isLong || index % adapters.length === turn);
    const oddRequests = texts.flatMap((text) => [...listsWith(text, 'p1'), ...requestsWith(text, 'p1')]);
    const examples = oddRequests.map((request): [FuzzRequest] => [request]);
    await fc.assert(fc.asyncProperty(any, responded), { seed, numRuns, examples });

    const failing = Array.from(statuses).reduce(
      (sum, [status, count]) => sum + (status >= 500 ? count : 0),
      0,
    );
    const shown = Array.from(statuses)
      .toSorted()
      .map(([status, count]) => `${status}: ${counted(count)}`);
    console.log(`${adapter}: ${shown.join(', ')}`);
    // Requests that never succeed, or never fail, would prove nothing.
    for (const status of [200, 201, 204, 400, 404, 409, 412, 415])
      expect(statuses.get(status)).toBeGreaterThan(0);
    report({
      name: `generated requests, ${adapter}`,
      done: `${counted(sent)} requests, ${failing} responses >= 500, every one as documented`,
      criterion: '0 responses >= 500; each fits the document',
      met: failing === 0 && sent >= numRuns,
    });
  });
});
