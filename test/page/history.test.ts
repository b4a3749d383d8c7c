import { OrderEventsService } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { isInstalled, pageInBrowser, place } from './page-in-browser.js';

describe.skipIf(!isInstalled)(`the history on the page${place}`, () => {
  const texts = { en: { 'parcel.weighed': 'Put on the scales' } };
  const page = pageInBrowser({ page: { texts } });

  it('explains in words which order numbers are valid', async () => {
    const { operator } = await page.openShop();
    await operator.field('Order number').fill('../shipments');
    await operator.button('History').click();

    await operator.alert('Use only letters, digits and _ . : -');

    expect(operator.errors).toEqual([]);
  });

  it('shows the events of an order in the time zone of the reader', async () => {
    const { shop, operator } = await page.openShop();
    const actor = { type: 'user', label: 'Sam' } as const;
    const occurred_at = '2026-11-02T09:14:03Z';
    const data = { carrier_code: 'dhl', parcels: [1, 2] };
    await page.host.app.get(OrderEventsService).record(
      { projectId: shop.project, orderId: 'A-1' },
      {
        type: 'shipping.selected',
        message: 'DHL Worldwide\nby air',
        actor,
        occurred_at,
        data,
      },
    );
    await operator.field('Order number').fill('A-1');
    await operator.field('Order number').press('Enter');
    await operator.events().waitFor();
    expect(await operator.page.evaluate('document.activeElement.id')).toBe('history');

    expect(await operator.text('times in').textContent()).toContain('America/New_York');
    await operator.page.getByRole('heading', { name: 'Monday, November 2, 2026' }).waitFor();
    expect(await operator.events().textContent()).toMatch(
      /Shipping selected.*4:14\sAM.*Sam.*DHL Worldwide.*parcels.*1, 2.*carrier code.*dhl/s,
    );
    expect(await operator.page.locator('.history li p').innerText()).toBe('DHL Worldwide\nby air');
    await operator.page.reload();
    await operator.events().waitFor();
    expect(operator.errors).toEqual([]);
  });

  it('shows 210 events in parts and by kind', async () => {
    const { shop, operator } = await page.openShop();
    const events = page.host.app.get(OrderEventsService);
    for (let each = 1; each <= 210; each++) {
      const type = each % 50 === 0 ? 'parcel.weighed' : 'item.changed';
      await events.record({ projectId: shop.project, orderId: 'long' }, { type, message: `event ${each}` });
    }
    const messages = (): Promise<string[]> => operator.page.locator('.history li p').allTextContents();
    const numbers = Array.from({ length: 210 }, (_, index) => `event ${index + 1}`);
    await operator.field('Order number').fill('long');
    await operator.button('History').click();
    await operator.text('100 of 210 events').waitFor();

    for (const count of [200, 210]) {
      await operator.button('Show more').click();
      await operator.text(`${count} of 210 events`).waitFor();
    }
    expect(await messages()).toEqual(numbers.toReversed());
    expect(await operator.button('Show more').count()).toBe(0);
    expect(await operator.text('event 210').isVisible()).toBe(false);
    await operator.text('10 × Item changed').click();
    await operator.text('event 210').waitFor();
    expect(await operator.text('event 200').isVisible()).toBe(true);
    await operator.page.getByRole('combobox', { name: 'Kind of event' }).selectOption('Put on the scales');
    await operator.text('4 of 210 events').waitFor();
    await operator.page.reload();
    await operator.text('4 of 210 events').waitFor();
    expect(await messages()).toEqual(numbers.filter((_, index) => (index + 1) % 50 === 0).toReversed());
    expect(await operator.accessibilityFaults()).toEqual([]);
    expect(operator.errors).toEqual([]);
  });

  it('leaves room for the methods on the first screen of a phone, however long it is', async () => {
    const { shop, operator } = await page.openShop();
    const events = page.host.app.get(OrderEventsService);
    for (let each = 1; each <= 20; each++)
      await events.record({ projectId: shop.project, orderId: 'o' }, { type: `kind.${each}` });
    await operator.page.setViewportSize({ width: 360, height: 740 });

    await operator.field('Order number').fill('o');
    await operator.button('History').click();
    await operator.text('20 of 20 events').waitFor();

    const methods = await operator.page.getByRole('heading', { name: 'Shipping methods' }).boundingBox();
    expect(methods?.y).toBeLessThan(740);
    expect(await operator.accessibilityFaults()).toEqual([]);
    expect(operator.errors).toEqual([]);
  });

  it('comes first if the address asks for it, by day, with the gaps between the events', async () => {
    const { shop, operator } = await page.openShop();
    const order = { projectId: shop.project, orderId: 'x'.repeat(64) };
    const actor = { type: 'system' } as const;
    for (const [type, occurred_at] of [
      ['shipment.delivered', '2026-11-02T17:20:11Z'],
      ['parcel.weighed', '2026-11-02T18:00:00Z'],
      ['shipment.delivered', '2026-11-05T12:02:57Z'],
    ] as const)
      await page.host.app.get(OrderEventsService).record(order, { type, occurred_at, actor });
    await operator.page.setViewportSize({ width: 1400, height: 800 });
    await operator.page.goto(`${operator.page.url()}&order=${order.orderId}`);
    await operator.events().first().waitFor();

    const headings = await operator.page.locator('h2, h3').allTextContents();
    expect(headings).toEqual([
      `History of order ${order.orderId}`,
      'Thursday, November 5, 2026',
      'Monday, November 2, 2026',
      'Shipping methods',
    ]);
    expect(await operator.events().first().textContent()).toContain('2 days 18 hours without an event');
    expect(await operator.events().nth(1).textContent()).toMatch(/^Put on the scales.*Automatic$/s);
    expect(await operator.overflow()).toBeLessThanOrEqual(0);
    // Events of other kinds may be in the gaps between the events of one kind.
    await operator.page.getByRole('combobox', { name: 'Kind of event' }).selectOption('Shipment delivered');
    await operator.text('2 of 3 events').waitFor();
    expect(await operator.text('without an event').count()).toBe(0);
    await operator.button('Close').click();
    await operator.events().first().waitFor({ state: 'detached' });
    expect(operator.page.url()).not.toContain('order=');
    expect(await operator.field('Order number').evaluate((input) => input.matches(':focus'))).toBe(true);
    expect(operator.errors).toEqual([]);
  });

  it('asks for nothing after it was closed in an outage', async () => {
    const { operator } = await page.openShop();
    await operator.page.clock.install();
    let asked = 0;
    await operator.page.route('**/events', (route) => (asked++, route.fulfill({ status: 503 })));
    await operator.field('Order number').fill('1');
    await operator.button('History').click();
    await operator.alert('This page tries again every few seconds.');

    await operator.button('Close').click();
    await operator.page.clock.runFor(6_500);
    await operator.page.waitForLoadState('networkidle');

    expect(asked).toBe(1);
    expect(operator.errors).toEqual([]);
  });

  it('says that an order has no events', async () => {
    const { operator } = await page.openShop();
    await operator.field('Order number').fill('none');
    await operator.button('History').click();

    await operator.text('Order none has no events. Check the number.').waitFor();

    expect(operator.errors).toEqual([]);
  });
});
