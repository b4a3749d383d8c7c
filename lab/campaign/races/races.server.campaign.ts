import { describe, expect, it } from 'vitest';
import { Client, freshProject, ground } from '../../../test/support/client.js';
import { twoInstances } from '../../../test/support/two-instances.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';

const racers = 100;
const writers = 50;

describe('two instances', () => {
  const pairs = sized({ ci: 6, long: 200 });
  const updates = sized({ ci: 20, long: 2_000 });
  const instances = twoInstances();

  /** The clients of the two instances, by number. */
  const shopsOf = (project: string) => {
    const clients = instances.clients(project);
    return (number: number): Client => clients[number % clients.length] ?? new Client('', project);
  };

  it('let one of many racing creates win, and respond with 409 to all others', async () => {
    const project = freshProject();
    const shop = shopsOf(project);
    let won = 0;
    let refused = 0;
    for (let pair = 0; pair < pairs; pair++) {
      const responses = await Promise.all(
        Array.from({ length: racers }, (_, racer) =>
          shop(racer).create({ ...ground, method_code: `m${pair}` }),
        ),
      );

      const winners = responses.filter(({ status }) => status === 201);
      const losers = responses.filter(({ status }) => status === 409);
      won += winners.length;
      refused += losers.length;
      expect(new Set(losers.map(({ body }) => body['existing_id']))).toEqual(new Set([winners[0]?.body.id]));
    }

    const { total } = (await shop(0).list()).body.meta;
    report({
      name: 'create race',
      done: `${pairs} pairs × ${racers} racers: ${total} rows, ${counted(refused)} × 409`,
      criterion: 'one row per pair, the rest 409',
      met: won === pairs && total === pairs && refused === pairs * (racers - 1),
    });
  });

  it('lose no acknowledged update of writers that send the version', async () => {
    const shop = shopsOf(freshProject());
    const { id } = (await shop(0).create(ground)).body;
    const versions: number[] = [];
    let mismatches = 0;
    let lost = 0;

    const writer = async (number: number): Promise<void> => {
      let known = 1;
      for (let update = 0; update < updates; update++) {
        const change = { ...ground, sort_order: number * updates + update, meta: { writer: number } };
        const { status, body } = await shop(number).update(id, change, { 'if-match': `"${known}"` });
        if (status === 200) versions.push(body.version);
        else mismatches++;
        // Another update came between the version that was sent and the new one.
        if (status === 200 && body.version !== known + 1) lost++;
        expect([200, 412]).toContain(status);
        known = status === 200 ? body.version : Number(body['current_version']);
      }
    };
    await Promise.all(Array.from({ length: writers }, (_, number) => writer(number + 1)));

    const [last] = (await shop(1).list()).body.data;
    expect(versions.toSorted((a, b) => a - b)).toEqual(versions.map((_, index) => index + 2));
    expect(versions.length + mismatches).toBe(writers * updates);
    report({
      name: 'lost update',
      done: `${writers} writers × ${updates}: ${counted(versions.length)} acknowledged, ${counted(mismatches)} × 412, version ${last?.version}, ${lost} lost`,
      criterion: 'version = 1 + acknowledged, each one after the version it stated',
      met: lost === 0 && last?.version === 1 + versions.length && versions.length > 0,
    });
  });
});
