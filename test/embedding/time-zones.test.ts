import { OrderEventsService, ShippingMethodsService } from 'nestjs-shipping';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.js';
import { freshProject } from '../support/client.js';

describe('a host whose Node runs in another time zone', () => {
  const own = process.env['TZ'];
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app?.close());
  afterEach(() => {
    if (own === undefined) delete process.env['TZ'];
    else process.env['TZ'] = own;
  });

  it.each(['America/New_York', 'Asia/Tokyo', 'Asia/Kolkata'])(
    'gets its times back exactly: %s',
    async (zone) => {
      process.env['TZ'] = zone;
      const project = freshProject();
      const events = app.nest.get(OrderEventsService);
      // New York skips an hour in spring, which has the first time and ends at the second. It repeats the hour of the
      // third.
      const times = ['2026-03-08T02:30:00.001Z', '2026-03-08T07:00:00.000Z', '2026-11-01T06:30:00.999Z'];

      for (const time of times) {
        await events.record(
          { projectId: project, orderId: 'o' },
          { type: 'note.added', occurred_at: new Date(time) },
        );
        await events.record({ projectId: project, orderId: 'o' }, { type: 'note.added', occurred_at: time });
      }
      const method = await app.nest
        .get(ShippingMethodsService)
        .create(project, { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' });

      const read = await events.findAll({ projectId: project, orderId: 'o' });
      expect(read.map((event) => event.occurred_at)).toEqual(times.flatMap((time) => [time, time]));
      expect(Math.abs(Date.parse(method.created_at) - Date.now())).toBeLessThan(60_000);
      expect(new Date().getTimezoneOffset()).toBe(-offsetOf(zone));
    },
  );
});

/** @returns how many minutes the zone is east of UTC now */
function offsetOf(zone: string): number {
  const part = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts()
    .find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(part ?? '') ?? [];
  return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) + 0;
}
