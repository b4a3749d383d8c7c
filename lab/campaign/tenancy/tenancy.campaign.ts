import { OrderEventsService, ShippingMethodsService } from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapters, type TestApp, testApp } from '../../../test/support/app.js';
import { Client, freshProject } from '../../../test/support/client.js';
import { type TestDatabase, testDatabase } from '../../../test/support/database.js';
import { report } from '../figures.js';
import { type Aim, attempts, calls, tellingOf, views } from './attempts.js';

const unknown: Aim = { methodId: '01890000-0000-7000-8000-000000000000', orderId: 'no-such-order' };

const cases = adapters.flatMap((adapter) =>
  (['throw', 'ignore'] as const).map((behavior) => ({ adapter, behavior })),
);

describe.each(cases)(
  'tenants on $adapter, with invalidWhereValuesBehavior set to "$behavior",',
  ({ adapter, behavior }) => {
    let database: TestDatabase;
    let app: TestApp;
    let owner: Client;
    let foreign: Aim;
    beforeAll(async () => {
      database = await testDatabase({ invalidWhereValuesBehavior: { null: behavior, undefined: behavior } });
      app = await testApp({ adapter, database });
      owner = new Client(app.origin, freshProject());
      foreign = await planted(owner, 'canary');
    });
    afterAll(async () => {
      await app?.close();
      await database?.close();
    });

    /** Stores a method and an order of a tenant. */
    const planted = async ({ project }: Client, word: string): Promise<Aim> => {
      const codes = { carrier_code: word, method_code: word, use_default: true };
      const labels = {
        method_label: `${word}-label`,
        carrier_label: `${word}-carrier`,
        meta: { [word]: word },
      };
      const { id } = await app.nest.get(ShippingMethodsService).create(project, { ...codes, ...labels });
      const order = { projectId: project, orderId: `${word}-order` };
      await app.nest.get(OrderEventsService).record(order, {
        type: 'order.placed',
        message: word,
        data: { [word]: word },
      });
      return { methodId: id, orderId: order.orderId };
    };
    const all = async (client: Client): Promise<string[]> => [
      tellingOf(await client.list()),
      tellingOf(await client.tree()),
      tellingOf(await client.events('canary-order')),
    ];

    it('cannot tell the id of another tenant from an unknown one, and change nothing', async () => {
      const tenants = [new Client(app.origin, freshProject()), new Client(app.origin, freshProject())];
      const [tenant = owner, nobody = owner] = tenants;
      await planted(tenant, 'mine');
      const before = await all(owner);

      let compared = 0;
      const responses: string[] = [];
      for (const client of [tenant, nobody]) {
        for (const [name, send] of attempts) {
          const ofForeign = tellingOf(await send(client, foreign));
          const ofUnknown = tellingOf(await send(client, unknown));
          expect([name, ofForeign]).toEqual([name, ofUnknown]);
          compared++;
          responses.push(ofForeign);
        }
        for (const [, send] of views) responses.push(tellingOf(await send(client, foreign)));
      }

      expect(responses.filter((response) => response.includes('canary'))).toEqual([]);
      expect(await all(owner)).toEqual(before);
      report({
        name: `tenancy over HTTP, ${adapter}, ${behavior}`,
        done: `${responses.length} responses without a canary, ${compared} pairs byte-identical`,
        criterion: 'no canary; foreign and unknown byte-identical',
        met: compared === attempts.length * 2,
      });
    });

    it('may use the same requests on their own methods and orders', async () => {
      const tenant = new Client(app.origin, freshProject());

      const statuses: number[] = [];
      for (const [, send] of attempts) {
        const aim = await planted(tenant, `own${statuses.length}`);
        statuses.push((await send(tenant, aim)).status);
        for (const { id } of (await tenant.list()).body.data) await tenant.remove(id);
      }

      expect(statuses).toEqual([200, 200, 412, 200, 400, 204, 204, 204, 200, 200, 200, 200, 200, 400]);
    });

    it('are separated by the services, even when an argument is missing or wrong', async () => {
      const { project } = new Client(app.origin, freshProject());
      const before = await all(owner);
      const nothings = [undefined, null, '', {}, [], Number.NaN, '%', { $ne: '' }, [foreign.methodId]];

      const outcomes: unknown[] = [];
      const outcome = async (result: Promise<unknown>): Promise<string> => {
        const [ended] = await Promise.allSettled([result]);
        const settled =
          ended?.status === 'fulfilled' ? ended.value : { ...ended?.reason, is: String(ended?.reason) };
        outcomes.push(settled);
        return JSON.stringify(settled);
      };
      for (const [name, call] of calls(
        app.nest.get(ShippingMethodsService),
        app.nest.get(OrderEventsService),
      )) {
        const ofForeign = await outcome(call(project, foreign));
        expect([name, ofForeign]).toEqual([name, await outcome(call(project, unknown))]);
        for (const nothing of nothings) {
          await outcome(call(nothing, foreign));
          await outcome(call(project, { methodId: nothing, orderId: nothing }));
        }
      }

      expect(outcomes.map((each) => JSON.stringify(each)).filter((text) => text?.includes('canary'))).toEqual(
        [],
      );
      expect(await all(owner)).toEqual(before);
      report({
        name: `tenancy of the services, ${adapter}, ${behavior}`,
        done: `${outcomes.length} calls without a canary`,
        criterion: 'no canary; foreign and unknown alike',
        met: outcomes.length > 100,
      });
    });
  },
);
