import { type ShippingMethodDto, ShippingMethodsService, toUpsertRequest } from 'nestjs-shipping';
import { type Route } from 'playwright-core';
import { type DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { freshProject } from '../support/client.js';
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

  it('searches names and codes without accents, and filters by carrier and activity', async () => {
    const { shop, operator } = await page.openShop();
    const requests: string[] = [];
    await shop.create({
      carrier_code: 'lp',
      method_code: 'c',
      method_label: 'Colis à domicile',
      sort_order: 50,
    });
    await operator.page.reload();
    await operator.text('5 methods, in checkout order').waitFor();
    operator.page.on('request', (request) => requests.push(request.url()));
    const search = operator.page.getByRole('searchbox');

    await search.fill('express');
    await operator.text('1 of 5 methods').waitFor();
    expect(await operator.labels()).toEqual(['UPS Express']);
    await search.fill('A dom LP');
    await operator.row('Colis').waitFor();
    expect(await operator.labels()).toEqual(['Colis à domicile']);
    await search.press('ArrowDown');
    expect(await operator.page.evaluate('document.activeElement.textContent')).toBe('Colis à domicile');
    await search.fill('nowhere');
    await operator.button('Show all').click();
    await operator.row('UPS Ground').waitFor();
    await operator.page.getByRole('combobox', { name: 'Carrier' }).selectOption('dhl');
    await operator.row('UPS Ground').waitFor({ state: 'detached' });
    expect(await operator.labels()).toEqual(['DHL Worldwide']);
    // Without handles, the carrier keeps its column.
    const carrier = await operator.page.locator('.methods .carrier').boundingBox();
    expect(carrier?.width).toBeGreaterThan(100);

    expect(requests).toEqual([]);
    expect(operator.errors).toEqual([]);
  });

  it('keeps the filters in the address', async () => {
    const { operator } = await page.openShop();
    await operator.page.getByRole('searchbox').fill('ups');
    await operator.page.getByRole('combobox', { name: 'On or off' }).selectOption('On');
    await operator.toggle('UPS Ground').click();
    await operator.notice('“UPS Ground” is off');

    await operator.page.reload();
    await operator.text('2 of 4 methods').waitFor();

    expect(await operator.labels()).toEqual(['UPS 2nd Day Air', 'UPS Express']);
    expect(await operator.page.getByRole('searchbox').inputValue()).toBe('ups');
    await operator.field('Project').fill('another');
    await operator.field('Project').press('Enter');
    await operator.text('“another” has no').or(operator.text('No method matches')).waitFor();
    expect(new URL(operator.page.url()).search).toBe('?project=another&status=on');
    expect(operator.errors).toEqual([]);
  });

  it('keeps a row that is switched out of the filter, and gives the focus to the next or last row when one is removed', async () => {
    const { operator } = await page.openShop();
    const focused = (): Promise<string> => operator.page.evaluate('document.activeElement.textContent');
    await operator.page.getByRole('combobox', { name: 'On or off' }).selectOption('On');

    await operator.toggle('UPS Ground').press('Space');
    await operator.notice('“UPS Ground” is off');
    expect(await operator.labels()).toContain('UPS Ground');
    // The second one of them is the last row.
    for (const label of ['UPS 2nd Day Air', 'DHL Worldwide']) {
      await operator.button(label).press('Enter');
      await operator.button('Remove method').press('Enter');
      await operator.dialog().getByRole('button', { name: 'Remove', exact: true }).press('Enter');
      await operator.row(label).waitFor({ state: 'detached' });
      expect(await focused()).toBe('UPS Express');
    }
    expect(operator.errors).toEqual([]);
  });

  it('shows what other users have done when somebody returns to the tab', async () => {
    const { shop, operator } = await page.openShop();
    await shop.create({ carrier_code: 'gls', method_code: '1', method_label: 'GLS Parcel' });

    await operator.page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))');

    await operator.row('GLS Parcel').waitFor();
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
    await operator.notice('is off');
    await expect.poll(() => operator.toggle(second?.method_label ?? '').isChecked()).toBe(false);
    await operator.page.waitForLoadState('networkidle');

    expect((await shop.list('filter[is_active]=false')).body.meta.total).toBe(2);
    expect(operator.errors).toEqual([]);
  });

  it('keeps a new method in the list, although an older list comes later', async () => {
    const { shop, operator } = await page.openShop();
    let read = (): void => undefined;
    const isRead = new Promise<void>((resolve) => (read = resolve));
    let respond = (): void => undefined;
    const mayRespond = new Promise<void>((resolve) => (respond = resolve));
    const older = async (route: Route): Promise<void> => {
      const response = await route.fetch();
      read();
      await mayRespond;
      await route.fulfill({ response });
    };
    await operator.page.route(`**/${shop.project}/**/tree`, older, { times: 1 });
    await operator.toggle('UPS Ground').click();
    await isRead;
    await operator.button('Add a method').click();
    await operator.fillIn({ 'Carrier code': 'ups', 'Method code': 'new', Name: 'UPS New' });
    await operator.button('Save').click();
    await operator.row('UPS New').waitFor();

    const isThere = operator.page.waitForResponse('**/tree').then((response) => response.finished());
    respond();
    await isThere;
    await operator.page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
    );

    expect(await operator.row('UPS New').count()).toBe(1);
    expect(operator.errors).toEqual([]);
  });

  it('keeps, marks and focuses a method that a form has saved, until a filter is changed', async () => {
    const { operator } = await page.openShop({ viewport: { width: 800, height: 400 } });
    const focused = (): Promise<string> => operator.page.evaluate('document.activeElement.textContent');
    await operator.page.evaluate(
      'window.marked = []; Element.prototype.animate = function () { marked.push(this.querySelector(".name").textContent); }',
    );
    const carrier = operator.page.getByRole('combobox', { name: 'Carrier' });
    await carrier.selectOption('dhl');
    await operator.page.getByRole('searchbox').fill('worldwide');
    await operator.button('DHL Worldwide').click();
    await operator.field('Name').fill('Renamed');
    await operator.button('Save').click();
    await operator.notice('“Renamed” is saved.');
    await expect.poll(focused).toBe('Renamed');

    await operator.button('Add a method').click();
    expect(await operator.field('Carrier code').inputValue()).toBe('dhl');
    await operator.fillIn({ 'Method code': 'new', Name: 'Added' });
    await operator.button('Save').click();
    await expect.poll(focused).toBe('Added');
    expect(await operator.labels()).toEqual(['Renamed', 'Added']);
    expect(await operator.page.evaluate('marked')).toEqual(['Renamed', 'Added']);
    await carrier.selectOption('');

    await operator.text('No method matches').waitFor();
    expect(operator.errors).toEqual([]);
  });

  it('asks before it removes a method, and explains that one is in use', async () => {
    const { shop, operator } = await page.openShop();
    await placeOrder(page.host.database.dataSource, shop.project);

    await operator.button('UPS Ground').click();
    await operator.button('Remove method').click();
    await operator.dialog('Remove “UPS Ground”?').waitFor();
    expect(await operator.accessibilityFaults()).toEqual([]);
    await operator.dialog().getByRole('button', { name: 'Remove' }).click();
    await operator.alert('Something still uses this method');
    // The focus is on “Switch it off”.
    await operator.page.keyboard.press('Enter');
    await operator.notice('“UPS Ground” is off');
    await operator.button('UPS Express').click();
    await operator.button('Remove method').click();
    await operator.button('Cancel').click();
    await operator.remove('UPS 2nd Day Air');
    await operator.notice('“UPS 2nd Day Air” is removed.');

    await operator.row('UPS 2nd Day Air').waitFor({ state: 'detached' });
    expect(await operator.labels()).toEqual(['UPS Ground', 'UPS Express', 'DHL Worldwide']);
    expect(operator.errors).toEqual([]);
  });

  it('takes a removal back by Ctrl+Z, although the search then finds nothing', async () => {
    const { operator } = await page.openShop();
    await operator.page.getByRole('searchbox').fill('Worldwide');
    await operator.row('UPS Ground').waitFor({ state: 'detached' });

    await operator.remove('DHL Worldwide');
    await operator.notice('“DHL Worldwide” is removed.');
    await operator.text('No method matches').waitFor();
    await operator.page.keyboard.press('ControlOrMeta+z');

    await operator.row('DHL Worldwide').waitFor();
    expect(operator.errors).toEqual([]);
  });

  it('shows, searches and moves 1,000 methods of 30 carriers, and adds at most 100 rows at once', async () => {
    const project = freshProject();
    const requests = Array.from({ length: 1000 }, (_, index) => ({
      carrier_code: `c${index % 30}`,
      method_code: String(index),
      method_label: `Method ${index}`,
      meta: { days: 3, max_weight_kg: 68 },
      sort_order: index,
    }));
    await page.host.app.get(ShippingMethodsService).upsertMany(project, requests);
    const operator = await page.open('none');
    const rows = operator.page.locator('.methods > li');
    const search = operator.page.getByRole('searchbox');

    await operator.countRowsAddedAtOnce();
    await operator.page.goto(`${page.origin}/shipping?project=${project}`);
    await expect.poll(() => rows.count(), { timeout: 10_000 }).toBe(1000);
    await operator.page.keyboard.press('PageDown');
    await expect.poll(() => operator.page.evaluate('scrollY')).toBeGreaterThan(0);
    await search.pressSequentially('method 99');
    await operator.text('19 of 1000 methods').waitFor();
    await search.fill('');
    await expect.poll(() => rows.count(), { timeout: 10_000 }).toBe(1000);
    const label = String(await rows.last().locator('.name').textContent());
    await rows.last().locator('.handle').press('Home');
    await operator.notice(`“${label}” is now 1 of 1000.`);
    await rows.nth(500).getByRole('switch').click();
    await operator.notice('is off');
    await operator.page.locator('output button').first().click();
    await operator.notice('Undone: ');

    // All rows at once would block the page for 200 ms on a fast machine.
    expect(await operator.page.evaluate('mostRows')).toBe(100);
    expect(operator.errors).toEqual([]);
  });
});
