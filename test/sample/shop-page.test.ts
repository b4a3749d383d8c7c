import { type ShippingMethodDto } from 'nestjs-shipping';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isInstalled, Operator, place } from '../page/operator.js';
import { Client, ground } from '../support/client.js';
import { type SampleApp, sampleApp } from './sample-app.js';

describe.skipIf(!isInstalled)(`the page of the shop${place}`, () => {
  let app: SampleApp;
  let demo: Client;
  let method: ShippingMethodDto;
  let customer: Operator;
  beforeAll(async () => {
    app = await sampleApp();
    demo = new Client(app.origin, 'demo');
    const meta = { delivery: '1 to 5 days', price: '$7.90' };
    ({ body: method } = await demo.create({ ...ground, method_label: '<b>Ground</b>', meta }));
  });
  afterAll(async () => {
    await Operator.leave();
    await app?.close();
  });
  beforeEach(async () => {
    customer = await Operator.at('about:blank');
  });
  afterEach(() => customer.close());

  const setActive = (is_active: boolean) => demo.update(method.id, { ...ground, is_active });
  const says = (text: RegExp) => customer.page.getByRole('status').filter({ hasText: text }).waitFor();

  it('offers the methods with delivery and price, places one order for two clicks, and leads to its history', async () => {
    await customer.page.goto(app.origin);
    await customer.page.getByRole('radio', { name: '<b>Ground</b> 1 to 5 days $7.90' }).waitFor();
    expect(await customer.accessibilityFaults()).toEqual([]);
    const orders: string[] = [];
    customer.page.on('request', (request) => request.method() === 'POST' && orders.push(request.url()));

    await customer.button('Place the order').dblclick();
    await says(/^Order [0-9A-F]{16} is placed\./);
    await customer.page.getByRole('link', { name: 'For the staff: its history' }).click();

    await customer.page.getByRole('listitem').filter({ hasText: 'Shipping selected' }).waitFor();
    expect(orders).toHaveLength(1);
    expect(customer.errors).toEqual([]);
  });

  it('says that it cannot ship while no method is active, and why a chosen one cannot be had', async () => {
    await customer.page.goto(app.origin);
    await customer.page.getByRole('radio').waitFor();
    await setActive(false);

    await customer.button('Place the order').click();
    await says(/^We cannot ship at the moment\.$/);
    expect(await customer.button('Place the order').isVisible()).toBe(false);
    await demo.create({ ...ground, method_code: '02', method_label: 'Air' });
    await setActive(true);
    await customer.page.reload();
    await customer.page.getByRole('radio', { name: 'Ground' }).check();
    await setActive(false);
    await customer.button('Place the order').click();

    await says(/^This shipping method is no longer available\. Choose another one\.$/);
    expect(await customer.page.getByRole('radio').count()).toBe(1);
    await setActive(true);
  });

  it('says that it could not load, and that an order may be placed, and a second try repeats the request', async () => {
    const keys: string[] = [];
    await customer.page.route('**/shops/**', (route) => route.abort());
    await customer.page.goto(app.origin);
    await says(/^We could not load this\./);
    await customer.page.unrouteAll();
    await customer.button('Try again').click();
    await customer.page.getByRole('radio', { name: 'Ground' }).check();
    customer.page.on('request', (request) => {
      if (request.method() === 'POST') keys.push(request.headers()['idempotency-key'] ?? '');
    });
    await customer.page.route('**/orders', (route) => route.abort());

    await customer.button('Place the order').click();
    await says(/^We do not know whether your order is placed\./);
    await customer.page.unrouteAll();
    await customer.button('Place the order').click();
    await says(/^Order /);

    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    await customer.button('New order').click();
    await customer.page.getByRole('radio', { name: 'Ground' }).waitFor();
  });
});
