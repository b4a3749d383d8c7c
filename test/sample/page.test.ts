import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { OrderEvents } from 'nestjs-shipping';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { engine } from '../support/database.js';
import { type SampleApp, sampleApp } from './sample-app.js';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const isInstalled = existsSync(executablePath);
const place = isInstalled ? '' : ` (there is none at ${executablePath})`;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

describe.skipIf(!isInstalled)(`the page in a browser${place}`, () => {
  let app: SampleApp;
  let browser: Browser;
  let page: Page;
  let faults: string[];
  beforeAll(async () => {
    app = await sampleApp();
    // The root user of a container has no sandbox.
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });
  afterEach(() => page?.context().close());

  /** Opens the page on a project of its own with four methods of two carriers. */
  async function openShop(options: Parameters<Browser['newContext']>[0] = {}): Promise<Client> {
    const shop = new Client(app.origin, freshProject());
    const methods = [
      ['ups', 'UPS', '03', 'UPS Ground'],
      ['ups', 'UPS', '02', 'UPS 2nd Day Air'],
      ['ups', 'UPS', '07', 'UPS Express'],
      ['dhl', 'DHL', 'P', 'DHL Worldwide'],
    ];
    for (const [index, [carrier_code, carrier_label, method_code, method_label]] of methods.entries()) {
      const sort_order = (index + 1) * 10;
      await shop.create({ carrier_code, carrier_label, method_code, method_label, sort_order });
    }
    await open(`?project=${shop.project}`, options);
    await row('UPS Ground').waitFor();
    return shop;
  }

  async function open(path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<void> {
    page = await (await browser.newContext({ timezoneId: 'America/New_York', ...options })).newPage();
    faults = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (message) => {
      // The browser itself logs each refusal of the API.
      const isRefusal = message.text().startsWith('Failed to load resource');
      if (!isRefusal && ['error', 'warning'].includes(message.type())) faults.push(message.text());
    });
    // Each answer is as slow as on a network. So the page reports a write before it shows the new state.
    await page.route('**/api/**', async (route) => {
      await delay(50);
      await route.continue();
    });
    await page.goto(`${app.origin}/${path}`);
  }

  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const handle = (label: string): Locator => page.getByRole('button', { name: `Move ${label}, ` });
  const field = (name: string): Locator =>
    page.getByRole('textbox', { name, exact: true }).or(page.getByRole('combobox', { name, exact: true }));
  const row = (label: string): Locator => page.getByRole('row').filter({ hasText: label });
  const notice = (text: string): Promise<void> =>
    page.getByRole('status').filter({ hasText: text }).waitFor();
  const labels = (): Promise<string[]> => page.locator('tr[data-id] strong').allTextContents();
  const described = async (name: string): Promise<string | null> =>
    field(name).evaluate((input) => input.closest('.field')?.querySelector('.fault')?.textContent ?? null);

  async function accessibilityFaults(): Promise<string[]> {
    await page.evaluate(axe);
    const options = JSON.stringify({ runOnly: levels });
    const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      `axe.run(${options})`,
    );
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }

  it('sends a strict Content-Security-Policy and serves everything itself', async () => {
    await openShop();
    const response = await fetch(app.origin);

    const policy = response.headers.get('content-security-policy');
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin),
    );
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toContain('unsafe');
    expect(new Set(loaded)).toEqual(new Set([app.origin]));
    expect(faults).toEqual([]);
  });

  it('gives an empty project the methods of the project “default”', async () => {
    const codes = { carrier_code: freshProject(), method_code: '1', method_label: 'For everybody' };
    await new Client(app.origin, 'default').create(codes);
    await open(`?project=${freshProject()}`);

    await button('Adopt the defaults').click();
    await notice('This project now has the methods of the project “default”.');

    await row('For everybody').waitFor();
    expect(await button('Adopt the defaults').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('shows texts as they were typed, even markup and names of JavaScript', async () => {
    const shop = new Client(app.origin, freshProject());
    const method_label = '<img src="x" alt="run"> & co';
    const meta = { by: 'constructor', others: ['toString', true, null] };
    await shop.create({ carrier_code: 'ups', method_code: '03', method_label, meta });

    await open(`?project=${shop.project}`);
    await row('& co').waitFor();

    const cells = await row('& co').getByRole('cell').allTextContents();
    expect(cells[1]).toContain(method_label);
    expect(cells[2]).toBe('by constructorothers toString, yes, –');
    expect(await page.getByAltText('run').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('shows how many methods there are, and how many of them match a filter', async () => {
    await openShop();
    expect(await page.locator('section small').first().textContent()).toMatch(/^Methods: 4\./);

    await page.getByRole('searchbox').fill('express');
    await page.getByText('Methods: 1 of 4.').waitFor();

    expect(faults).toEqual([]);
  });

  it('takes a notice away after some seconds, but not while it is focused', async () => {
    await openShop({ viewport: { width: 390, height: 500 } });
    await page.clock.install();
    const toggle = page.getByRole('switch', { name: 'Active: UPS Ground' });

    await toggle.click();
    await notice('“UPS Ground” is now inactive');
    const status = page.getByRole('status');
    const [box, above] = [await status.boundingBox(), await page.locator('body > div').boundingBox()];
    await status.focus();
    await page.clock.runFor(60_000);
    expect(await status.textContent()).toContain('inactive');
    await toggle.focus();
    await page.clock.runFor(60_000);

    expect(await status.textContent()).toBe('');
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual((box?.y ?? 0) + 1);
    expect(faults).toEqual([]);
  });

  it('searches while the user types, and filters by carrier and activity', async () => {
    await openShop();

    await page.getByRole('searchbox').fill('express');
    await row('UPS Ground').waitFor({ state: 'detached' });
    expect(await labels()).toEqual(['UPS Express']);
    await page.getByRole('searchbox').fill('nowhere');
    await button('Show all methods').click();
    await row('UPS Ground').waitFor();
    await page.getByRole('combobox', { name: 'Carrier' }).selectOption('dhl');
    await row('UPS Ground').waitFor({ state: 'detached' });

    expect(await labels()).toEqual(['DHL Worldwide']);
    expect(faults).toEqual([]);
  });

  it('shows many methods in pages', async () => {
    const shop = new Client(app.origin, freshProject());
    for (let index = 10; index < 40; index++)
      await shop.create({ carrier_code: 'c', method_code: `${index}`, method_label: `Method ${index}` });
    await open(`?project=${shop.project}`);

    await row('Method 34').waitFor();
    await button('Next').click();
    await row('Method 35').waitFor();

    expect(await labels()).toHaveLength(5);
    await page.getByRole('searchbox').fill('method 35');
    await row('Method 36').waitFor({ state: 'detached' });
    expect(await labels()).toEqual(['Method 35']);
    expect(faults).toEqual([]);
  });

  it('shows every violation of a new method at its field', async () => {
    const shop = await openShop();
    await button('Add a method').click();
    await field('Carrier code').fill('dhl ');
    await field('Carrier label').fill('DHL');
    await field('Method code').fill('T');
    await field('Method label').fill('DHL 12:00');
    await field('Sort order').fill('soon');
    await field('Details').fill('days: 5\nsix');

    await button('Save').click();
    await page.getByText('Some fields need your attention.').waitFor();

    expect(await described('Carrier code')).toContain('no space at the beginning or end');
    expect(await described('Sort order')).toBe('Sort order must be an integer.');
    expect(await described('Details')).toBe('Write a name, a colon and a value on each line.');
    expect(await described('Method label')).toBeNull();
    for (const line of ['six', ': 6', '  : 6', '"six"']) {
      await field('Details').fill(`days: 5\n${line}`);
      await button('Save').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save', disabled: false }).waitFor();
      expect([line, await described('Details')]).toEqual([
        line,
        'Write a name, a colon and a value on each line.',
      ]);
    }
    expect(await accessibilityFaults()).toEqual([]);
    await field('Carrier code').fill('dhl');
    await field('Sort order').fill('5');
    await field('Details').fill('');
    await button('Save').click();
    await notice('“DHL 12:00” is saved.');
    expect(await labels()).toEqual([
      'DHL 12:00',
      'DHL Worldwide',
      'UPS Ground',
      'UPS 2nd Day Air',
      'UPS Express',
    ]);
    expect((await shop.list('q=12:00')).body.data).toMatchObject([{ carrier_code: 'dhl', sort_order: 5 }]);
    expect(faults).toEqual([]);
  });

  it('leads from taken codes to the method that has them', async () => {
    await openShop();
    await button('Add a method').click();
    await field('Carrier code').fill('ups');
    await field('Method code').fill('07');
    await field('Method label').fill('Express');
    await button('Save').click();
    const questions: string[] = [];
    page.once('dialog', (question) => {
      questions.push(question.message());
      void question.dismiss();
    });
    await button('Open that method').click();
    expect(await field('Method label').inputValue()).toBe('Express');
    page.once('dialog', (question) => question.accept());

    await button('Open that method').click();

    expect(questions).toEqual(['Open that method? What you have typed here is lost.']);

    await page.getByRole('dialog', { name: 'Edit “UPS Express”' }).waitFor();
    expect(await field('Method label').inputValue()).toBe('UPS Express');
    expect(faults).toEqual([]);
  });

  it('edits a method, its details included, and makes it inactive', async () => {
    const shop = await openShop();
    await button('Edit UPS Ground').click();
    await field('Method label').fill('Ground');
    await field('Details').fill('days: 5\nphone: "01234"\nname: a: b');

    await button('Save').click();
    await notice('“Ground” is saved.');
    await page.getByRole('switch', { name: 'Active: Ground' }).click();
    await notice('“Ground” is now inactive');

    const { body } = await shop.list('filter[method_code]=03');
    const meta = { days: 5, phone: '01234', name: 'a: b' };
    expect(body.data).toMatchObject([{ method_label: 'Ground', meta, is_active: false }]);
    expect(faults).toEqual([]);
  });

  it('shows an inherited value beside the stored one, and keeps the stored one', async () => {
    const defaults = new Client(app.origin, 'default');
    const codes = { carrier_code: freshProject(), method_code: '1' };
    await defaults.create({ ...codes, method_label: 'Inherited label', meta: { days: 1 } });
    const shop = new Client(app.origin, freshProject());
    const { body: method } = await shop.create({ ...codes, method_label: 'Own label', use_default: true });
    await open(`?project=${shop.project}`);
    expect(await row('Inherited label').textContent()).toContain(
      'from project “default”: method label, sort order',
    );

    await button('Edit Inherited label').click();
    expect(await field('Method label').inputValue()).toBe('Own label');
    await page.getByText('Inherited and shown: Inherited label').waitFor();
    expect(await accessibilityFaults()).toEqual([]);
    const usesDefault = page.getByRole('switch', { name: 'Use the default values' });
    const warning = page.getByText('method label: Own label, sort order: 0, details: empty');
    expect(await warning.isVisible()).toBe(false);
    await usesDefault.click();
    expect(await warning.isVisible()).toBe(true);
    await usesDefault.click();
    await field('Method label').fill('Mine');
    await page.getByRole('dialog').getByRole('switch', { name: 'Active' }).click();
    await button('Save').click();
    await notice('is saved. The list shows the values of the project “default” for: method label.');
    await page.getByRole('switch', { name: 'Active: Inherited label' }).click();
    await notice('is now active');

    const { body } = await shop.list(`filter[id]=${method.id}`);
    expect(body.data).toMatchObject([
      { method_label: 'Inherited label', own: { method_label: 'Mine', meta: {} }, is_active: true },
    ]);
    expect(faults).toEqual([]);
  });

  it('shows what another client has changed, and saves only the fields of the operator', async () => {
    const shop = await openShop();
    await button('Edit UPS Ground').click();
    await field('Method label').fill('My label');
    const [method] = (await shop.list('filter[method_code]=03')).body.data;
    await shop.update(method?.id ?? '', {
      ...method,
      ...readOnly,
      method_label: 'Their label',
      sort_order: 11,
    });

    await button('Save').click();
    await page.getByText('Somebody changed this method while you edited it').waitFor();

    const change = page.getByRole('dialog').getByRole('row').filter({ hasText: 'Method label' });
    expect(await change.getByRole('cell').allTextContents()).toEqual([
      'UPS Ground',
      'Their label',
      'My label',
    ]);
    expect(await accessibilityFaults()).toEqual([]);
    await button('Keep my changes').click();
    await notice('“My label” is saved.');
    const { body } = await shop.list('filter[method_code]=03');
    expect(body.data).toMatchObject([{ method_label: 'My label', sort_order: 11, version: 3 }]);
    expect(faults).toEqual([]);
  });

  it('moves a method by keyboard and by mouse, and saves the order', async () => {
    const shop = await openShop();
    const saved = async (): Promise<string[]> =>
      (await shop.list('filter[carrier_code]=ups')).body.data.map(({ method_code }) => method_code);

    await handle('UPS Express').press('Home');
    await notice('“UPS Express” is now 1 of 3 at UPS.');
    expect(await saved()).toEqual(['07', '03', '02']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await notice('“UPS Express” is now 3 of 3 at UPS.');
    expect(await saved()).toEqual(['03', '02', '07']);

    await handle('UPS Express').hover();
    await page.mouse.down();
    const target = await row('UPS Ground').boundingBox();
    await page.mouse.move((target?.x ?? 0) + 20, (target?.y ?? 0) + 5, { steps: 5 });
    await page.mouse.up();
    await notice('“UPS Express” is now 1 of 3 at UPS.');
    expect(await saved()).toEqual(['07', '03', '02']);
    expect(faults).toEqual([]);
  });

  it('reports that another client has changed a method before a move', async () => {
    const shop = await openShop();
    const [method] = (await shop.list('filter[method_code]=03')).body.data;
    await shop.update(method?.id ?? '', { ...method, ...readOnly, method_label: 'Changed' });

    await handle('UPS 2nd Day Air').press('ArrowUp');
    await notice('Somebody else has changed a method');

    await row('Changed').waitFor();
    expect(await labels()).toEqual(
      (await shop.tree()).body.data.flatMap(({ methods }) => methods.map((shown) => shown.method_label)),
    );
    expect(faults).toEqual([]);
  });

  it('asks before it removes a method, and explains that one is in use', async () => {
    const shop = await openShop();
    const order = { order_id: '1', carrier_code: 'ups', method_code: '03' };
    await shop.send('POST', `/api/projects/${shop.project}/desk/orders`, order);

    await button('Remove UPS Ground').click();
    expect(await accessibilityFaults()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Orders were placed with this method').waitFor();
    await button('Make it inactive').click();
    await notice('“UPS Ground” is now inactive');
    await button('Remove UPS Express').click();
    expect(await page.getByRole('status').textContent()).toBe('');
    await button('Keep it').click();
    await button('Remove UPS 2nd Day Air').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await notice('“UPS 2nd Day Air” is removed.');

    await row('UPS 2nd Day Air').waitFor({ state: 'detached' });
    expect(await labels()).toEqual(['UPS Ground', 'UPS Express', 'DHL Worldwide']);
    expect(faults).toEqual([]);
  });

  it('warns that other projects may take their values from a method of the project “default”', async () => {
    const codes = { carrier_code: freshProject(), method_code: '1', method_label: freshProject() };
    await new Client(app.origin, 'default').create(codes);
    await open('?project=default');

    await button(`Remove ${codes.method_label}`).click();

    await page.getByText('Other projects may take values from it.').waitFor();
    expect(faults).toEqual([]);
  });

  it('explains in words which order numbers are valid', async () => {
    const advice = 'Write 1001, not #1001.';
    await openShop();
    await field('Order number').fill('#1001');
    await button('Show').click();
    await page.getByRole('alert').filter({ hasText: advice }).waitFor();
    await page.getByText('Place an order', { exact: true }).click();
    await field('Number of the new order').fill('#1001');

    await button('Place the order').click();

    await page.locator('.fault', { hasText: advice }).waitFor();
    expect(faults).toEqual([]);
  });

  it('places an order and shows its history in the time zone of the reader', async () => {
    await openShop();
    await page.getByText('Place an order', { exact: true }).click();
    await field('Number of the new order').fill('A-1');
    await page
      .getByRole('combobox', { name: 'Shipping method' })
      .selectOption({ label: 'DHL: DHL Worldwide' });
    await button('Place the order').click();

    const events = page.getByRole('listitem');
    await events.nth(1).waitFor();

    expect(await page.getByText('times in').textContent()).toContain('America/New_York');
    expect(await events.first().textContent()).toMatch(
      /Shipping selected.*Order desk \(app\).*DHL Worldwide.*carrier code.*dhl/s,
    );
    await page.getByText('Place an order', { exact: true }).click();
    await field('Number of the new order').fill('A-1');
    await button('Place the order').click();
    await page.getByText('This order is placed already').waitFor();
    expect(faults).toEqual([]);
  });

  it('places one order when the operator clicks twice', async () => {
    const shop = await openShop();
    await page.getByText('Place an order', { exact: true }).click();
    await field('Number of the new order').fill('A-2');
    const sent: string[] = [];
    page.on('response', async (response) => {
      if (response.request().method() !== 'POST') return;
      const key = await response.request().headerValue('idempotency-key');
      sent.push(`${response.status()} ${key}`);
    });

    await button('Place the order').dblclick();
    await page.getByRole('listitem').nth(1).waitFor();
    await expect.poll(() => sent.length).toBe(2);

    expect(sent[0]).toMatch(/^201 \d+-/);
    expect(new Set(sent).size).toBe(1);
    expect((await shop.events('A-2')).body.data).toHaveLength(2);
    expect(await page.locator('.fault').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('shows 500 events in pages, in both orders, and by kind', async () => {
    const shop = await openShop();
    const order = { projectId: shop.project, orderId: 'long' };
    const events = app.nest.get(OrderEvents);
    for (let each = 1; each <= 500; each++) {
      const type = each % 50 === 0 ? 'parcel.weighed' : 'item.changed';
      await events.record(order.projectId, order.orderId, { type, message: `event ${each}` });
    }
    const messages = (): Promise<string[]> => page.locator('li p').allTextContents();
    const numbers = Array.from({ length: 500 }, (_, index) => `event ${index + 1}`);
    await field('Order number').fill('long');
    await button('Show').click();
    await page.getByText('Events of the order long: 100 and more').waitFor();

    for (const count of ['200 and', '300 and', '400 and', '500,']) {
      await button('Load more').click();
      await page.getByText(`Events of the order long: ${count}`).waitFor();
    }
    expect(await messages()).toEqual(numbers.toReversed());
    expect(await button('Load more').count()).toBe(0);
    await page.getByRole('switch', { name: 'Newest first' }).click();
    await page.getByText('event 1', { exact: true }).waitFor();
    expect(await messages()).toEqual(numbers.slice(0, 100));
    await page.getByRole('combobox', { name: 'Kind of event' }).selectOption('Parcel weighed');
    await page.getByText('event 500', { exact: true }).waitFor();
    expect(await messages()).toEqual(numbers.filter((_, index) => (index + 1) % 50 === 0));
    expect(await accessibilityFaults()).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('saves a note of the operator and shows it with its actor', async () => {
    const shop = await openShop();
    await field('Order number').fill('A-3');
    await button('Show').click();
    await page.getByText('The order A-3 has no events').waitFor();

    await field('Note').fill('The customer called.');
    await button('Add the note').dblclick();
    await notice('The note is saved.');

    const note = page.getByRole('listitem');
    await note.waitFor();
    expect(await note.textContent()).toMatch(/Note added.*Operator \(user\).*The customer called\./s);
    expect(await field('Note').inputValue()).toBe('');
    expect((await shop.events('A-3')).body.data).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  it('says that the database is down, and recovers by itself', async () => {
    const shop = await openShop();
    const { manager } = app.database.dataSource;
    app.nest.useLogger(false);
    const recover = await engine.intercept(manager, () => Promise.reject(engine.brokenConnection()));

    await page.getByRole('switch', { name: 'Active: UPS Ground' }).click();
    await notice('This was not saved.');
    await page.getByRole('alert').filter({ hasText: 'cannot be reached just now' }).waitFor();
    expect(await labels()).toHaveLength(4);
    expect(await page.getByRole('switch', { name: 'Active: UPS Ground' }).isChecked()).toBe(true);
    await recover();
    await page.getByRole('alert').waitFor({ state: 'detached' });

    await page.getByRole('switch', { name: 'Active: UPS Ground' }).click();
    await notice('“UPS Ground” is now inactive');
    expect((await shop.list('filter[is_active]=false')).body.meta.total).toBe(1);
    expect(faults).toEqual([]);
  });

  it('says that the server does not answer, and recovers by itself', async () => {
    await openShop();
    await page.context().setOffline(true);
    await page.getByRole('searchbox').fill('ground');
    await page.getByRole('alert').filter({ hasText: 'The server does not answer.' }).waitFor();

    await page.context().setOffline(false);
    await row('UPS Express').waitFor({ state: 'detached' });

    expect(await labels()).toEqual(['UPS Ground']);
    expect(faults).toEqual([]);
  });

  it('asks for an API key once, and says when it opens another project', async () => {
    const locked = await sampleApp('shop=shop-key');
    page = await browser.newPage();
    await page.goto(`${locked.origin}/?project=shop`);
    await page.getByText('This shop asks for an API key').waitFor();
    expect(await accessibilityFaults()).toEqual([]);

    await field('API key').fill('wrong');
    await button('Open').click();
    await page.getByText('The server does not know this key.').waitFor();
    await field('API key').fill('shop-key');
    await button('Open').click();
    await page.getByText('“shop” has no shipping methods yet').waitFor();
    await page.reload();
    await page.getByText('“shop” has no shipping methods yet').waitFor();
    await field('Project').fill('other');
    await field('Project').press('Enter');

    await page.getByText('Your key does not open the project “other”').waitFor();
    await page.context().close();
    await locked.close();
  });

  it.each([
    ['light', 1400],
    ['dark', 1400],
    ['light', 360],
    ['dark', 360],
  ] as const)(
    'has no accessibility fault and no sideways scrolling: %s, %i px',
    async (colorScheme, width) => {
      const shop = await openShop({ colorScheme, viewport: { width, height: 800 } });
      await shop.send('POST', `/api/projects/${shop.project}/desk/orders`, {
        order_id: '1001',
        carrier_code: 'ups',
        method_code: '03',
      });
      await button('Show').click();
      await page.getByRole('listitem').first().waitFor();

      const overflow = await page.evaluate<number>(
        'Math.max(...[document.documentElement, document.querySelector("body > div")].map((e) => e.scrollWidth - e.clientWidth))',
      );

      expect(await accessibilityFaults()).toEqual([]);
      expect(overflow).toBeLessThanOrEqual(0);
      expect(faults).toEqual([]);
    },
  );
});

/** Fields that PATCH does not take. */
const readOnly = {
  id: undefined,
  project_id: undefined,
  inherited: undefined,
  own: undefined,
  version: undefined,
  etag: undefined,
  created_at: undefined,
  updated_at: undefined,
};
