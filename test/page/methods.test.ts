import { type ShippingMethodDto, toUpsertRequest } from 'nestjs-shipping';
import { ShippingMethodsService } from 'nestjs-shipping';
import { type DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { isInstalled, pageInBrowser, place } from './page-in-browser.js';

/** Stores an order that refers to the method `ups 03`. */
async function placeOrder(dataSource: DataSource, project: string): Promise<void> {
  const methods = dataSource.getMetadata('ShippingMethod').tablePath;
  const orders = methods.replace('shipping_method', 'shop_order');
  await dataSource.query(
    `CREATE TABLE ${orders} (project_id varchar(64) COLLATE "C", method_id uuid, FOREIGN KEY (project_id, method_id) REFERENCES ${methods} (project_id, id))`,
  );
  const ofMethod = 'project_id = $1 AND method_code = $2';
  await dataSource.query(`INSERT INTO ${orders} SELECT project_id, id FROM ${methods} WHERE ${ofMethod}`, [
    project,
    '03',
  ]);
}

describe.skipIf(!isInstalled)(`the methods on the page${place}`, () => {
  const page = pageInBrowser();

  it('shows how many methods there are, and how many of them match a filter', async () => {
    const { operator } = await page.openShop();
    expect(await operator.page.locator('section small').first().textContent()).toMatch(/^Methods: 4\./);

    await operator.page.getByRole('searchbox').fill('express');
    await operator.text('Methods: 1 of 4.').waitFor();

    expect(operator.errors).toEqual([]);
  });

  it('takes a notice away after some seconds, but not while it is focused', async () => {
    const { operator } = await page.openShop({ viewport: { width: 390, height: 500 } });
    await operator.page.clock.install();
    const toggle = operator.toggle('UPS Ground');

    await toggle.click();
    await operator.notice('“UPS Ground” is now inactive');
    const status = operator.page.getByRole('status');
    const [box, above] = [
      await status.boundingBox(),
      await operator.page.locator('body > div').boundingBox(),
    ];
    await operator.page.mouse.move(0, 0);
    await status.focus();
    await operator.page.clock.runFor(60_000);
    expect(await status.textContent()).toContain('inactive');
    await toggle.focus();
    await operator.page.clock.runFor(60_000);

    expect(await status.textContent()).toBe('');
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual((box?.y ?? 0) + 1);
    expect(operator.errors).toEqual([]);
  });

  it('searches while the user types, and filters by carrier and activity', async () => {
    const { operator } = await page.openShop();

    await operator.page.getByRole('searchbox').fill('express');
    await operator.row('UPS Ground').waitFor({ state: 'detached' });
    expect(await operator.labels()).toEqual(['UPS Express']);
    await operator.page.getByRole('searchbox').fill('nowhere');
    await operator.button('Show all methods').click();
    await operator.row('UPS Ground').waitFor();
    await operator.page.getByRole('combobox', { name: 'Carrier' }).selectOption('dhl');
    await operator.row('UPS Ground').waitFor({ state: 'detached' });

    expect(await operator.labels()).toEqual(['DHL Worldwide']);
    expect(operator.errors).toEqual([]);
  });

  it('shows many methods in pages', async () => {
    const shop = new Client(page.origin, freshProject());
    for (let index = 10; index < 40; index++)
      await shop.create({ carrier_code: 'c', method_code: `${index}`, method_label: `Method ${index}` });
    const operator = await page.open(shop.project);

    await operator.row('Method 34').waitFor();
    await operator.button('Next').click();
    await operator.row('Method 35').waitFor();

    expect(await operator.labels()).toHaveLength(5);
    await operator.page.getByRole('searchbox').fill('method 35');
    await operator.row('Method 36').waitFor({ state: 'detached' });
    expect(await operator.labels()).toEqual(['Method 35']);
    expect(operator.errors).toEqual([]);
  });

  it('shows the page before, after the only method of the last page was removed', async () => {
    const shop = new Client(page.origin, freshProject());
    for (let index = 10; index < 36; index++)
      await shop.create({ carrier_code: 'c', method_code: `${index}`, method_label: `Method ${index}` });
    const operator = await page.open(shop.project);
    await operator.button('Next').click();

    await operator.button('Remove Method 35').click();
    await operator.dialog().getByRole('button', { name: 'Remove', exact: true }).click();
    await operator.row('Method 34').waitFor();

    expect(await operator.labels()).toHaveLength(25);
    expect(operator.errors).toEqual([]);
  });

  it('moves a method by keyboard and by mouse, and saves the order', async () => {
    const { shop, operator } = await page.openShop();
    const saved = async (): Promise<string[]> =>
      (await shop.list('filter[carrier_code]=ups')).body.data.map(({ method_code }) => method_code);

    await operator.handle('UPS Express').press('Home');
    await operator.notice('“UPS Express” is now 1 of 3 at UPS.');
    expect(await saved()).toEqual(['07', '03', '02']);
    await operator.page.keyboard.press('ArrowDown');
    await operator.page.keyboard.press('ArrowDown');
    await operator.notice('“UPS Express” is now 3 of 3 at UPS.');
    expect(await saved()).toEqual(['03', '02', '07']);

    await operator.handle('UPS Express').hover();
    await operator.page.mouse.down();
    const target = await operator.row('UPS Ground').boundingBox();
    await operator.page.mouse.move((target?.x ?? 0) + 20, (target?.y ?? 0) + 5, { steps: 5 });
    await operator.page.mouse.up();
    await operator.notice('“UPS Express” is now 1 of 3 at UPS.');
    expect(await saved()).toEqual(['07', '03', '02']);
    expect(operator.errors).toEqual([]);
  });

  it('moves a method past one that inherits its sort order, and does not move the latter past another', async () => {
    const defaults = new Client(page.origin, 'default');
    const shop = new Client(page.origin, freshProject());
    const form = { carrier_code: shop.project, method_code: '1', method_label: 'First', sort_order: 10 };
    const forms = [form, { ...form, method_code: '3', method_label: 'Last', sort_order: 20 }];
    for (const each of forms) {
      await defaults.create(each);
      await shop.create({ ...each, use_default: true });
    }
    await shop.create({ ...form, method_code: '2', method_label: 'Own' });
    const operator = await page.open(shop.project);

    await operator.handle('Own').press('Home');
    await operator.notice('“Own” is now 1 of 3');
    await operator.handle('Last').press('Home');
    await operator.notice('“Last” stays where it is.');

    const { body } = await shop.list();
    expect(body.data.map(({ method_label }) => method_label)).toEqual(['Own', 'First', 'Last']);
    expect(operator.errors).toEqual([]);
  });

  it('reports that another client has changed a method before a move', async () => {
    const { shop, operator } = await page.openShop();
    const [method] = (await shop.list('filter[method_code]=03')).body.data;
    await shop.update(method?.id ?? '', {
      ...toUpsertRequest(method as ShippingMethodDto),
      method_label: 'Changed',
    });

    await operator.handle('UPS 2nd Day Air').press('ArrowUp');
    await operator.notice('Somebody else has changed a method');

    await operator.row('Changed').waitFor();
    expect(await operator.labels()).toEqual(
      (await shop.tree()).body.data.flatMap(({ methods }) => methods.map((shown) => shown.method_label)),
    );
    expect(operator.errors).toEqual([]);
  });

  it('does what a switch showed when it was clicked, although somebody else was faster', async () => {
    const { shop, operator } = await page.openShop();
    const [first, second] = (await shop.list()).body.data as ShippingMethodDto[];
    await operator.page.route(`**/methods/${first?.id}`, async (route) => {
      const request = toUpsertRequest(second as ShippingMethodDto);
      await shop.update(second?.id ?? '', { ...request, is_active: false });
      await operator.toggle(second?.method_label ?? '').click();
      await route.continue();
    });

    await operator.toggle(first?.method_label ?? '').click();
    await operator.notice('is now inactive');
    await expect.poll(() => operator.toggle(second?.method_label ?? '').isChecked()).toBe(false);
    await operator.page.waitForLoadState('networkidle');

    expect((await shop.list('filter[is_active]=false')).body.meta.total).toBe(2);
    expect(operator.errors).toEqual([]);
  });

  it('asks before it removes a method, and explains that one is in use', async () => {
    const { shop, operator } = await page.openShop();
    await placeOrder(page.host.database.dataSource, shop.project);

    await operator.button('Remove UPS Ground').click();
    expect(await operator.accessibilityFaults()).toEqual([]);
    await operator.dialog().getByRole('button', { name: 'Remove' }).click();
    await operator.text('Something still uses this method').waitFor();
    await operator.button('Make it inactive').click();
    await operator.notice('“UPS Ground” is now inactive');
    await operator.button('Remove UPS Express').click();
    expect(await operator.page.getByRole('status').textContent()).toBe('');
    await operator.button('Keep it').click();
    await operator.button('Remove UPS 2nd Day Air').click();
    await operator.dialog().getByRole('button', { name: 'Remove' }).click();
    await operator.notice('“UPS 2nd Day Air” is removed.');

    await operator.row('UPS 2nd Day Air').waitFor({ state: 'detached' });
    expect(await operator.labels()).toEqual(['UPS Ground', 'UPS Express', 'DHL Worldwide']);
    expect(operator.errors).toEqual([]);
  });

  it('warns that other projects may take their values from a method of the project “default”', async () => {
    const codes = { carrier_code: freshProject(), method_code: '1', method_label: freshProject() };
    await new Client(page.origin, 'default').create(codes);
    const operator = await page.open('default');

    await operator.button(`Remove ${codes.method_label}`).click();

    await operator.text('Other projects may take values from it.').waitFor();
    expect(operator.errors).toEqual([]);
  });

  it('shows and searches 1,000 methods of 200 carriers', async () => {
    const project = freshProject();
    const requests = Array.from({ length: 1000 }, (_, index) => ({
      carrier_code: `c${index % 200}`,
      method_code: String(index),
      method_label: `Method ${index}`,
      meta: { days: 3 },
    }));
    await page.host.app.get(ShippingMethodsService).upsertMany(project, requests);
    const operator = await page.open(project);
    const since = performance.now();
    await operator.text('Methods: 1000.').waitFor();
    await operator.page.getByRole('searchbox').fill('method 999');
    await operator.text('Methods: 1 of 1000.').waitFor();

    // It takes some 400 ms, 100 of them our own delay of the requests.
    expect(performance.now() - since).toBeLessThan(5_000);
    expect(await operator.labels()).toEqual(['Method 999']);
    expect(operator.errors).toEqual([]);
  });
});
