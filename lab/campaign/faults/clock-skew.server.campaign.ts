import { OrderEventsService, ShippingMethodsService } from 'nestjs-shipping';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/support/app.js';
import { freshProject } from '../../../test/support/client.js';
import { counted, report } from '../figures.js';
import { sized } from '../size.js';

const rounds = sized({ ci: 20, long: 300 });
const hour = 3_600_000;

describe('instances whose clocks are an hour fast and an hour slow', () => {
  it("keep events in the order of recording, with the database's times", async () => {
    const app = await testApp();
    onTestFinished(() => app.close());
    onTestFinished(() => void vi.useRealTimers());
    const [events, methods] = [app.nest.get(OrderEventsService), app.nest.get(ShippingMethodsService)];
    const projectId = freshProject();
    const rightNow = (): number => performance.timeOrigin + performance.now();

    const recorded: string[] = [];
    const ids = new Set<string>();
    let wrong = 0;
    for (let index = 0; index < rounds * 3; index++) {
      // One process stands for three, whose clocks differ.
      const now = rightNow() + ([-hour, hour, 0][index % 3] ?? 0);
      vi.useFakeTimers({ toFake: ['Date'], now });
      const event = await events.record({ projectId, orderId: '1' }, { type: 'order.note' });
      const code = { carrier_code: 'ups', method_code: `m${index}`, method_label: 'UPS' };
      const method = await methods.create(projectId, code);
      vi.useRealTimers();
      recorded.push(event.id);
      ids.add(event.id).add(method.id);
      const times = [event.recorded_at, event.occurred_at, method.created_at, method.updated_at];
      if (times.some((time) => Math.abs(Date.parse(time) - rightNow()) > hour / 2)) wrong++;
    }

    const listed = (await events.findAll({ projectId, orderId: '1' })).map(({ id }) => id);
    expect(listed).toEqual(recorded);
    report({
      name: 'clock skew of an hour, both ways',
      done: `${counted(recorded.length)} events in turns: in order, ${wrong} with a time of the instance, ${counted(ids.size)} ids`,
      criterion: 'order of recording holds, times of the database, ids unique',
      met: wrong === 0 && ids.size === 2 * recorded.length,
    });
  });
});
