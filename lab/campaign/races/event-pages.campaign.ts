import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OrderEventDto, OrderEventsService } from 'nestjs-shipping';
import { type TestApp, testApp } from '../../../test/support/app.js';
import { freshProject } from '../../../test/support/client.js';
import { counted, progress, report } from '../figures.js';
import { sized } from '../size.js';

const walks = sized({ ci: 150, long: 10_000 });
const types = ['order.placed', 'order.note_added', 'shipment.dispatched'] as const;

let apps: TestApp[];
beforeAll(async () => {
  const first = await testApp();
  apps = [first, await testApp({ adapter: 'express', database: await first.database.another() })];
});
afterAll(async () => {
  for (const app of (apps ?? []).toReversed()) await app.close();
});

it('pages show each event of a history once, in its order, beside recorders', async () => {
  const projectId = freshProject();
  /** The order that everybody uses now. A long history would make each walk long, and show no more. */
  let order = { orderId: 'o-0', recorded: [] as OrderEventDto[] };
  let orders = 0;
  let walked = 0;
  const goesOn = (): boolean => walked < walks;
  let [shown, repeated, missing, unordered] = [0, 0, 0, 0];
  const services = apps.map(({ nest }) => nest.get(OrderEventsService));

  const recorder = async (): Promise<void> => {
    while (goesOn()) {
      // Many events of one time, so that pages end in the middle of them.
      const occurred_at = any([undefined, undefined, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z']);
      const { orderId, recorded } = order;
      const sent = [
        { projectId, orderId },
        { type: any(types), ...(occurred_at && { occurred_at }) },
      ] as const;
      recorded.push(await any(services).record(...sent));
      if (recorded.length > 60) order = { orderId: `o-${++orders}`, recorded: [] };
    }
  };
  const walker = async (): Promise<void> => {
    while (goesOn()) {
      progress('Pages beside recorders', ++walked, walks);
      const { orderId, recorded } = order;
      const known = [...recorded];
      const wanted = any([undefined, [types[0]], [types[0], types[2]]]);
      const newestFirst = any([true, false]);
      const limit = any([3, 7, 50]);
      const found: OrderEventDto[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit, newestFirst, ...(wanted && { types: wanted }), ...(cursor && { cursor }) };
        const page = await any(services).list({ projectId, orderId }, query);
        found.push(...page.data);
        cursor = page.next ?? undefined;
      } while (cursor);
      const ids = new Set(found.map(({ id }) => id));
      shown += found.length;
      repeated += found.length - ids.size;
      missing += known.filter(
        ({ type, id }) => (wanted?.some((each) => each === type) ?? true) && !ids.has(id),
      ).length;
      const times = found.map(({ occurred_at }) => occurred_at);
      const inOrder = newestFirst ? times.toSorted().toReversed() : times.toSorted();
      if (times.some((time, place) => time !== inOrder[place])) unordered++;
    }
  };
  await Promise.all([...Array.from({ length: 4 }, recorder), ...Array.from({ length: 4 }, walker)]);

  expect(shown).toBeGreaterThan(walks);
  report({
    name: 'pages of events beside recorders',
    done: `${counted(walks)} walks, ${counted(shown)} events: ${repeated} twice, ${missing} missing, ${unordered} walks not in order`,
    criterion: 'each event that was recorded before the walk is shown once, in order',
    met: repeated + missing + unordered === 0,
  });
});

function any<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)] as Value;
}
