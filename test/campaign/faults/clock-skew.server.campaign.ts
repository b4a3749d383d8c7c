import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type OrderEventDto } from 'nestjs-shipping';
import { describe, expect, it, onTestFinished } from 'vitest';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';
import { type Recorded } from './recorder.js';
import { createDatabase } from './host-database.js';

const rounds = sized({ ci: 20, long: 500 });
const hour = 3_600_000;
const faketime = '/usr/bin/faketime';
const hasFaketime = existsSync(faketime);
if (!hasFaketime) console.log('Skipped: instances whose clocks differ (Debian: apt-get install faketime).');

describe.skipIf(!hasFaketime)('instances whose clocks are an hour fast and an hour slow', () => {
  it("keep events in the order of recording, with the database's times", async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const right = new Recorder(database.url);
    await right.ready();
    const fast = new Recorder(database.url, '+1h');
    const slow = new Recorder(database.url, '-1h');
    await Promise.all([fast.ready(), slow.ready()]);
    const recorders = [slow, fast, right];

    const recorded: Recorded[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const recorder of recorders) recorded.push(await recorder.record('1'));
    }

    const skews = recorders.map((_, index) => {
      const { clock, event } = recorded[index] ?? { clock: 0, event: { recorded_at: '' } };
      return Math.round((clock - Date.parse(event.recorded_at)) / hour);
    });
    const inOrder = await database.query<{ id: string }>(
      "SELECT id FROM shipping_order_event WHERE project_id = 'skewed' AND order_id = '1' ORDER BY occurred_at, seq",
    );
    const listed = (await right.history('1')).map(({ id }) => id);
    const times = recorded.map(({ event }) => Date.parse(event.recorded_at));
    const backwards = times.filter((time, index) => time < (times[index - 1] ?? 0)).length;
    const ids = new Set(recorded.flatMap(({ event, method }) => [event.id, method.id]));
    const displaced = listed.filter((id, index) => id !== recorded[index]?.event.id).length;
    const wrong = recorded.filter(({ method }) => method.created_at !== method.updated_at).length;
    expect(skews).toEqual([-1, 1, 0]);
    expect(inOrder.map(({ id }) => id)).toEqual(listed);
    report({
      name: 'clock skew of an hour, both ways',
      done: `${counted(recorded.length)} events in turns: ${displaced} out of order, ${backwards} times backwards, ${ids.size} ids`,
      criterion: 'order of recording holds, times of the database, ids unique',
      met:
        listed.length === recorded.length &&
        displaced + backwards + wrong === 0 &&
        ids.size === 2 * recorded.length,
    });
  });
});

/** One instance in its own process. */
class Recorder {
  private readonly process: ChildProcess;
  private readonly answers: AsyncIterator<string>;

  constructor(url: string, skew?: string) {
    const script = fileURLToPath(new URL('recorder.ts', import.meta.url));
    const node = [process.execPath, '--import', 'tsx', script];
    const [command = '', ...parameters] = skew ? [faketime, '-f', skew, ...node] : node;
    this.process = spawn(command, parameters, {
      stdio: ['pipe', 'pipe', 'inherit'],
      // Timers use the monotonic clock, which must stay right.
      env: { ...process.env, DATABASE_URL: url, FAKETIME_DONT_FAKE_MONOTONIC: '1' },
    });
    onTestFinished(() => void this.process.kill());
    this.answers = createInterface({ input: this.process.stdout ?? process.stdin })[Symbol.asyncIterator]();
  }

  async ready(): Promise<void> {
    await this.answers.next();
  }

  record(orderId: string): Promise<Recorded> {
    return this.ask<Recorded>(orderId);
  }

  history(orderId: string): Promise<OrderEventDto[]> {
    return this.ask<OrderEventDto[]>(`?${orderId}`);
  }

  private async ask<Answer>(line: string): Promise<Answer> {
    this.process.stdin?.write(`${line}\n`);
    const { value } = await this.answers.next();
    return JSON.parse(value) as Answer;
  }
}
