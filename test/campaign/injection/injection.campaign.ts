import { OrderEvents, ShippingException } from 'nestjs-shipping';
import { type Logger } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.js';
import { Client, freshProject } from '../../support/client.js';
import { type TestDatabase, testDatabase } from '../../support/database.js';
import { counted, report } from '../figures.js';
import { mark, payloads } from './payloads.js';
import { eventPlaces, places } from './places.js';

/** Collects the text of every statement that is sent, without its parameters. */
class StatementLog implements Logger {
  readonly texts = new Set<string>();

  logQuery(query: string): void {
    this.texts.add(query);
  }
  logQueryError(_error: string | Error, query: string): void {
    this.texts.add(query);
  }
  logQuerySlow(): void {}
  logSchemaBuild(): void {}
  logMigration(): void {}
  log(): void {}
}

async function inChunks<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += 10)
    await Promise.all(items.slice(from, from + 10).map(act));
}

describe('payloads of injection in every place of every route', () => {
  const log = new StatementLog();
  let database: TestDatabase;
  let app: TestApp;
  let bystander: Client;
  let before: string;
  const canaries = () => database.dataSource.query(`SELECT id, word FROM ${database.table('canary')}`);
  beforeAll(async () => {
    database = await testDatabase({ logging: ['query', 'error'], logger: log });
    app = await testApp({ database });
    bystander = new Client(app.origin, freshProject());
    await bystander.create({ carrier_code: 'ups', method_code: '03', method_label: 'Untouched' });
    before = (await bystander.list()).text;
    await database.dataSource.query(`CREATE TABLE ${database.table('canary')} (id integer, word text)`);
    await database.dataSource.query(`INSERT INTO ${database.table('canary')} VALUES (1, 'alive')`);
  });
  afterAll(async () => {
    await app?.close();
    await database?.close();
  });

  it('stay values: none becomes part of a statement, and none finds or changes other rows', async () => {
    const failures: string[] = [];
    let sent = 0;
    for (const place of places) {
      const client = new Client(app.origin, freshProject());
      const { body: own } = await client.create({
        carrier_code: 'dhl',
        method_code: 'x',
        method_label: 'Mine',
      });
      await inChunks(payloads, async (payload) => {
        const { status, text } = await place.send(client, payload, own.id);
        sent++;
        const found = place.findsNothing && status === 200 && !text.includes('"total":0');
        if (status >= 500 || found || text.includes('alive')) {
          failures.push(`${place.name}: ${payload} → ${status} ${text}`);
        }
      });
      const { total } = (await client.list()).body.meta;
      if (place.findsNothing && total !== 1) failures.push(`${place.name}: ${total} methods are left`);
    }
    for (const place of eventPlaces) {
      const projectId = freshProject();
      await inChunks(payloads, async (payload) => {
        sent++;
        const event = { projectId, orderId: 'o', type: 'order.placed', ...place(payload) };
        const recorded = app.nest.get(OrderEvents).record(event);
        const refusal = await recorded.then(
          () => undefined,
          (error: unknown) => error,
        );
        const is400 = refusal instanceof ShippingException && refusal.problem.status === 400;
        if (refusal !== undefined && !is400) failures.push(`${JSON.stringify(event)} → ${String(refusal)}`);
      });
    }

    const statements = [...log.texts];
    expect(failures).toEqual([]);
    expect(statements.filter((text) => text.toLowerCase().includes(mark))).toEqual([]);
    expect(await canaries()).toEqual([{ id: 1, word: 'alive' }]);
    expect((await bystander.list()).text).toBe(before);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(Reflect.get({}, mark)).toBeUndefined();
    const where = places.length + eventPlaces.length;
    report({
      name: 'injection',
      done: `${payloads.length} payloads in each of ${where} places, ${counted(sent)} requests, ${statements.length} statements, 0 with a payload`,
      criterion: 'canary intact, all parameterised, 0 5xx',
      met: payloads.length === 500 && statements.length > 20,
    });
  });

  it('are stored unchanged, and a search for one finds exactly the labels that contain it', async () => {
    const client = new Client(app.origin, freshProject());
    const texts = payloads.filter((text) => text.length <= 100 && !/\p{Cc}/u.test(text)).slice(0, 60);
    const labels: string[] = [];
    for (const [index, method_label] of texts.entries()) {
      const codes = { carrier_code: 'c', method_code: `m${index}` };
      labels.push(
        (await client.create({ ...codes, method_label, meta: { [mark]: method_label } })).body.method_label,
      );
    }

    const found = [];
    for (const text of texts) {
      const filter = encodeURIComponent(
        JSON.stringify([{ field: 'method_label', op: 'contains', value: text }]),
      );
      found.push(
        (await client.list(`per_page=100&raw_filters=${filter}`)).body.data.map(
          (method) => method.method_label,
        ),
      );
    }

    expect(labels).toEqual(texts.map((text) => text.trim().normalize('NFC')));
    const containing = (text: string): string[] =>
      labels.filter((label) => label.toLowerCase().includes(text.toLowerCase()));
    expect(found.map((list) => list.toSorted())).toEqual(texts.map((text) => containing(text).toSorted()));
  });
});
