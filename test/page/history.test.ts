import { OrderEvents } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { isInstalled, pageInBrowser, place } from './page-in-browser.js';

describe.skipIf(!isInstalled)(`the history on the page${place}`, () => {
  const page = pageInBrowser();

  it('explains in words which order numbers are valid', async () => {
    const { operator } = await page.openShop();
    await operator.field('Order number').fill('../shipments');
    await operator.button('Show').click();

    await operator.alert('Use only letters, digits and _ . : -');

    expect(operator.errors).toEqual([]);
  });

  it('shows the events of an order in the time zone of the reader', async () => {
    const { shop, operator } = await page.openShop();
    const actor = { type: 'user', label: 'Sam' } as const;
    const occurred_at = '2026-11-02T09:14:03Z';
    const data = { carrier_code: 'dhl', parcels: [1, 2] };
    await page.host.app.get(OrderEvents).record(shop.project, 'A-1', {
      type: 'shipping.selected',
      message: 'DHL Worldwide\nby air',
      actor,
      occurred_at,
      data,
    });
    await operator.field('Order number').fill('A-1');
    await operator.button('Show').click();
    await operator.page.getByRole('listitem').waitFor();

    expect(await operator.text('times in').textContent()).toContain('America/New_York');
    expect(await operator.page.getByRole('listitem').textContent()).toMatch(
      /Shipping selected.*Nov 2, 2026, 4:14:03\sAM.*Sam \(user\).*DHL Worldwide.*parcels.*1, 2.*carrier code.*dhl/s,
    );
    expect(await operator.page.locator('li p').innerText()).toBe('DHL Worldwide\nby air');
    await operator.page.reload();
    await operator.page.getByRole('listitem').waitFor();
    expect(operator.errors).toEqual([]);
  });

  it('shows 500 events in parts, in both orders, and by kind', async () => {
    const { shop, operator } = await page.openShop();
    const events = page.host.app.get(OrderEvents);
    for (let each = 1; each <= 500; each++) {
      const type = each % 50 === 0 ? 'parcel.weighed' : 'item.changed';
      await events.record(shop.project, 'long', { type, message: `event ${each}` });
    }
    const messages = (): Promise<string[]> => operator.page.locator('li p').allTextContents();
    const numbers = Array.from({ length: 500 }, (_, index) => `event ${index + 1}`);
    await operator.field('Order number').fill('long');
    await operator.button('Show').click();
    await operator.text('Events of the order long: 100 of 500').waitFor();

    for (const count of [200, 300, 400, 500]) {
      await operator.button('Show more').click();
      await operator.text(`Events of the order long: ${count} of 500`).waitFor();
    }
    expect(await messages()).toEqual(numbers.toReversed());
    expect(await operator.button('Show more').count()).toBe(0);
    await operator.page.getByRole('switch', { name: 'Newest first' }).click();
    await operator.page.getByText('event 1', { exact: true }).waitFor();
    expect(await messages()).toEqual(numbers.slice(0, 100));
    await operator.page.getByRole('combobox', { name: 'Kind of event' }).selectOption('Parcel weighed');
    await operator.page.getByText('event 500', { exact: true }).waitFor();
    expect(await messages()).toEqual(numbers.filter((_, index) => (index + 1) % 50 === 0));
    expect(await operator.accessibilityFaults()).toEqual([]);
    expect(operator.errors).toEqual([]);
  });

  it('says that an order has no events', async () => {
    const { operator } = await page.openShop();
    await operator.field('Order number').fill('none');
    await operator.button('Show').click();

    await operator.text('The order none has no events. Check the number.').waitFor();

    expect(operator.errors).toEqual([]);
  });
});
