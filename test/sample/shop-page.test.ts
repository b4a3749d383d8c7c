import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isInstalled, Operator, place } from '../page/operator.js';
import { Client } from '../support/client.js';
import { type SampleApp, sampleApp } from './sample-app.js';

describe.skipIf(!isInstalled)(`the page of the shop${place}`, () => {
  let app: SampleApp;
  let customer: Operator;
  beforeAll(async () => {
    app = await sampleApp();
    const demo = new Client(app.origin, 'demo');
    const method_label = '<b>Ground</b>';
    await demo.create({ carrier_code: 'ups', carrier_label: 'UPS', method_code: '03', method_label });
    await demo.create({ carrier_code: 'ups', method_code: '02', method_label: 'Off', is_active: false });
  });
  afterAll(async () => {
    await Operator.leave();
    await app?.close();
  });
  afterEach(() => customer?.close());

  it('offers the active methods, places an order, and leads to its history', async () => {
    customer = await Operator.at(app.origin);
    await customer.page.getByRole('option', { name: 'UPS: <b>Ground</b>' }).waitFor({ state: 'attached' });
    expect(await customer.page.getByRole('option').count()).toBe(1);
    expect(await customer.accessibilityFaults()).toEqual([]);

    await customer.button('Place an order').click();
    await customer.page.getByRole('link', { name: 'The order is placed: see its history.' }).click();

    await customer.page.getByRole('listitem').filter({ hasText: 'Shipping selected' }).waitFor();
    await customer.row('<b>Ground</b>').waitFor();
    expect(customer.errors).toEqual([]);
  });
});
