import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { createDatabase } from './host-database.js';

const kills = sized({ ci: 2, long: 50 });
const program = fileURLToPath(new URL('checkout-shop.ts', import.meta.url));

interface Instance {
  process: ChildProcess;
  origin: string;
}

/** @returns the number of the order; undefined when the process was killed before it responded */
async function place(
  { origin }: Instance,
  key: string,
): Promise<{ status: number; number?: number } | undefined> {
  const response = await fetch(`${origin}/shops/shop/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ carrier_code: 'ups', method_code: '03' }),
  }).catch(() => undefined);
  const body = (await response?.json().catch(() => undefined)) as { number: number } | undefined;
  return response && body && { status: response.status, number: body.number };
}

it('a checkout places one order for each key, when an instance is killed', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const start = async (): Promise<Instance> => {
    const child = spawn(process.execPath, ['--import', 'tsx', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, DATABASE_URL: database.url },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [origin] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return { process: child, origin };
  };
  const survivor = await start();
  const keys: string[] = [];
  let [refused, cutOff, different] = [0, 0, 0];
  for (let round = 0; round < kills; round++) {
    const victim = await start();
    // Until it has been killed: 8 parallel repeats of each key on both instances.
    const victimEnds = once(victim.process, 'close');
    const buying = (async () => {
      while (victim.process.signalCode === null) {
        const key = randomUUID();
        keys.push(key);
        const repeats = Array.from({ length: 8 }, (_, n) => place(n % 2 ? survivor : victim, key));
        // The client repeats it on the other instance.
        const all = [...(await Promise.all(repeats)), await place(survivor, key)];
        const responses = all.filter((response) => response !== undefined);
        cutOff += all.length - responses.length;
        refused += responses.filter(({ status }) => status !== 201).length;
        if (new Set(responses.map(({ number }) => number)).size !== 1) different++;
      }
    })();
    await delay(300 + Math.random() * 300);
    victim.process.kill('SIGKILL');
    await victimEnds;
    await buying;
  }

  const orders = await database.query<{ order_id: string }>('SELECT order_id FROM placed_order');
  const events = await database.query<{ order_id: string }>(
    "SELECT order_id FROM shipping_order_event WHERE type = 'order.placed'",
  );
  const orderIds = new Set(orders.map(({ order_id }) => order_id));
  const isOneEach =
    orders.length === keys.length &&
    orderIds.size === keys.length &&
    events.length === keys.length &&
    events.every(({ order_id }) => orderIds.has(order_id));

  expect(keys.length).toBeGreaterThan(kills);
  report({
    name: 'kill -9 of one of two instances with a checkout',
    done: `${counted(kills)} kills, ${counted(keys.length)} keys with 9 repeats: ${counted(orders.length)} orders, ${refused} refused, ${different} responded differently, ${counted(cutOff)} cut off`,
    criterion: 'one order and one event for each key, equal responses, nothing refused',
    met: isOneEach && refused + different === 0,
  });
});
