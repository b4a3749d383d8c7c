import { setTimeout as delay } from 'node:timers/promises';
import { type ShippingMethodDto, ShippingMethodsService, toUpsertRequest } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { Client, freshProject, ground } from '../support/client.js';
import { hold, isInstalled, type Operator, pageInBrowser, place } from './page-in-browser.js';

const returned = 'document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))';

describe.skipIf(!isInstalled)(`the order of the methods on the page${place}`, () => {
  const page = pageInBrowser();

  const checkout = async ({ project }: Client): Promise<string[]> =>
    (await page.host.app.get(ShippingMethodsService).findActive(project)).map(
      ({ method_label }) => method_label,
    );

  /** Counts the changes that the page sends. */
  function changesOf(operator: Operator): string[] {
    const changes: string[] = [];
    operator.page.on('request', (request) => {
      if (request.method() === 'PATCH') changes.push(request.postData() ?? '');
    });
    return changes;
  }

  /** Drags a method to the row of another one. */
  async function drag(operator: Operator, label: string, target: string): Promise<void> {
    const [from, to] = [await operator.handle(label).boundingBox(), await operator.row(target).boundingBox()];
    await operator.page.mouse.move((from?.x ?? 0) + 5, (from?.y ?? 0) + 5);
    await operator.page.mouse.down();
    await operator.page.mouse.move((to?.x ?? 0) + 20, (to?.y ?? 0) + 10, { steps: 5 });
    await operator.page.mouse.up();
  }

  it('is that of the checkout, also after a move past a carrier without sort orders', async () => {
    const shop = new Client(page.origin, freshProject());
    for (const [carrier_code, method_code] of ['a 1', 'a 2', 'a 3', 'b 1', 'b 2'].map((codes) =>
      codes.split(' '),
    ))
      await shop.create({ carrier_code, method_code, method_label: `${carrier_code}${method_code}` });
    const operator = await page.open(shop.project);
    const changes = changesOf(operator);
    await operator.row('b2').waitFor();

    await drag(operator, 'b2', 'a1');
    await operator.notice('“b2” is now 1 of 5.');
    expect(await checkout(shop)).toEqual(['b2', 'a1', 'a2', 'a3', 'b1']);
    expect(changes).toHaveLength(1);
    await drag(operator, 'b1', 'a2');
    await operator.notice('“b1” is now 3 of 5.');

    expect(await checkout(shop)).toEqual(['b2', 'a1', 'b1', 'a2', 'a3']);
    expect(await operator.labels()).toEqual(await checkout(shop));
    expect(await operator.dialog().count()).toBe(0);
    await operator.handle('b1').press('Enter');
    await operator.dialog('Move “b1”').waitFor();
    expect(operator.errors).toEqual([]);
  });

  it('has the first place for a drag that ends above the list, and the last one below it', async () => {
    const { operator } = await page.openShop();
    const list = operator.page.locator('.methods');
    const dragTo = async (label: string, y: (top: number, height: number) => number): Promise<void> => {
      const { height = 0, y: top = 0 } = (await list.boundingBox()) ?? {};
      await operator.handle(label).hover();
      await operator.page.mouse.down();
      await operator.page.mouse.move(300, y(top, height), { steps: 5 });
      await operator.page.mouse.up();
    };

    await dragTo('UPS Express', (top) => top - 10);
    await operator.notice('“UPS Express” is now 1 of 4.');
    await dragTo('UPS Express', (top, height) => top + height + 10);
    await operator.notice('“UPS Express” is now 4 of 4.');
    await operator.handle('UPS Ground').hover();
    await operator.page.mouse.down();
    await operator.page.mouse.move(300, 700, { steps: 5 });
    await operator.page.keyboard.press('Escape');
    await operator.page.mouse.up();
    expect((await operator.labels())[0]).toBe('UPS Ground');
    expect(await operator.page.locator('.dragged, .target').count()).toBe(0);

    expect(operator.errors).toEqual([]);
  });

  it('is changed by a drag under the header, too, and the list scrolls', async () => {
    const { shop, operator } = await page.openShop();
    const more = Array.from({ length: 20 }, (_, index) => ({
      ...ground,
      method_code: `${index}`,
      method_label: `${index}`,
    }));
    await page.host.app.get(ShippingMethodsService).upsertMany(shop.project, more);
    await operator.page.setViewportSize({ width: 1000, height: 500 });
    await operator.page.reload();
    await operator.handle('19').scrollIntoViewIfNeeded();
    const scrolled = (): Promise<number> => operator.page.evaluate('scrollY');
    const before = await scrolled();

    await operator.handle('19').hover();
    await operator.page.mouse.down();
    await operator.page.mouse.move(300, 30, { steps: 5 });

    await operator.page.locator('.target').waitFor();
    expect(await scrolled()).toBeLessThan(before);
    await operator.page.keyboard.press('Escape');
    await operator.page.mouse.up();
    expect(operator.errors).toEqual([]);
  });

  it('is changed with a finger as with the mouse', async () => {
    const { operator } = await page.openShop({ hasTouch: true });
    const touch = await operator.page.context().newCDPSession(operator.page);
    const [from, to] = [
      await operator.handle('UPS Ground').boundingBox(),
      await operator.row('UPS Express').boundingBox(),
    ];
    const at = (box: typeof to) => ({ x: (box?.x ?? 0) + 10, y: (box?.y ?? 0) + 10 });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at(from)] });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [at(to)] });
    await operator.page.locator('.dragged').waitFor();

    // The method comes below the row that it was dragged down to, and the line is there.
    const line = 'getComputedStyle(document.querySelector(".target")).boxShadow';
    expect(await operator.page.evaluate(line)).toContain('0px -2px 0px');
    expect(await operator.row('UPS Express').getAttribute('class')).toBe('target');
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await operator.notice('“UPS Ground” is now 3 of 4.');

    expect(await operator.page.locator('.dragged').count()).toBe(0);
    expect(operator.errors).toEqual([]);
  });

  it('is changed by keyboard in one request for each move, and the focus stays', async () => {
    const { shop, operator } = await page.openShop();
    const changes = changesOf(operator);

    await operator.handle('DHL Worldwide').press('Home');
    await operator.notice('“DHL Worldwide” is now 1 of 4.');
    expect(await checkout(shop)).toEqual(['DHL Worldwide', 'UPS Ground', 'UPS 2nd Day Air', 'UPS Express']);
    await operator.page.keyboard.press('ArrowDown');
    await operator.page.keyboard.press('ArrowDown');
    await operator.notice('“DHL Worldwide” is now 3 of 4.');

    expect(await checkout(shop)).toEqual(['UPS Ground', 'UPS 2nd Day Air', 'DHL Worldwide', 'UPS Express']);
    expect(await operator.handle('DHL Worldwide').evaluate((handle) => handle.matches(':focus'))).toBe(true);
    expect(changes).toHaveLength(3);
    // The steps are taken back together, but not the jump before them.
    await operator.page.keyboard.press('ControlOrMeta+z');
    await operator.notice('Undone: “DHL Worldwide” is as before.');
    expect(await checkout(shop)).toEqual(['DHL Worldwide', 'UPS Ground', 'UPS 2nd Day Air', 'UPS Express']);
    await operator.page.keyboard.press('ControlOrMeta+Shift+Z');
    await operator.notice('“DHL Worldwide” is now 3 of 4.');
    expect(await checkout(shop)).toEqual(['UPS Ground', 'UPS 2nd Day Air', 'DHL Worldwide', 'UPS Express']);
    expect(operator.errors).toEqual([]);
  });

  it('is changed without a drag, in a dialog of the handle', async () => {
    const { shop, operator } = await page.openShop();

    await operator.handle('UPS Express').click();
    expect(await operator.accessibilityFaults()).toEqual([]);
    await operator.page.keyboard.type('1');
    await operator.page.keyboard.press('Enter');
    await operator.notice('“UPS Express” is now 1 of 4.');
    await operator.handle('UPS Express').press('Enter');
    await operator.page.getByRole('spinbutton').fill('3');
    await operator.button('Move').click();
    await operator.notice('“UPS Express” is now 3 of 4.');

    expect(await checkout(shop)).toEqual(['UPS Ground', 'UPS 2nd Day Air', 'UPS Express', 'DHL Worldwide']);
    expect(await operator.handle('UPS Express').evaluate((handle) => handle.matches(':focus'))).toBe(true);
    expect(operator.errors).toEqual([]);
  });

  it('is changed among all methods while a filter shows some of them', async () => {
    const { shop, operator } = await page.openShop();
    await operator.page.getByRole('searchbox').fill('g');
    await operator.row('UPS Express').waitFor({ state: 'detached' });
    expect(await operator.page.locator('.methods .place').allTextContents()).toEqual(['1']);
    await operator.page.getByRole('searchbox').fill('d');
    await operator.text('3 of 4 methods').waitFor();

    await operator.handle('DHL Worldwide').press('ArrowUp');
    await operator.notice('“DHL Worldwide” is now 2 of 4.');
    await drag(operator, 'UPS Ground', 'UPS 2nd');
    await operator.notice('“UPS Ground” is now 3 of 4.');
    expect(await operator.page.locator('.methods .place').allTextContents()).toEqual(['1', '2', '3']);
    await operator.handle('DHL Worldwide').click();
    await operator.page.getByRole('spinbutton').fill('4');
    await operator.button('Move').click();
    await operator.notice('“DHL Worldwide” is now 4 of 4.');

    expect(await checkout(shop)).toEqual(['UPS 2nd Day Air', 'UPS Ground', 'UPS Express', 'DHL Worldwide']);
    expect(operator.errors).toEqual([]);
  });

  it('is changed for a method that inherits its place, and Undo lets it inherit again', async () => {
    const defaults = new Client(page.origin, 'default');
    const shop = new Client(page.origin, freshProject());
    const form = { carrier_code: shop.project, method_code: '1', method_label: 'First', sort_order: 10 };
    for (const each of [form, { ...form, method_code: '3', method_label: 'Last', sort_order: 20 }]) {
      await defaults.create(each);
      await shop.create({ ...each, use_default: true });
    }
    await shop.create({ ...form, method_code: '2', method_label: 'Own' });
    const operator = await page.open(shop.project);
    const [before] = (await shop.list('q=last')).body.data;

    await operator.handle('Last').press('Home');
    await operator.notice('“Last” is now 1 of 3.');
    const [moved] = (await shop.list('q=last')).body.data;
    expect(moved?.use_default).toEqual(['carrier_label', 'method_label', 'meta', 'is_active']);
    expect(await checkout(shop)).toEqual(['Last', 'First', 'Own']);
    await operator.row('own: Place').waitFor();
    await operator.page.keyboard.press('ControlOrMeta+z');
    await operator.notice('Undone: ');
    expect(await operator.handle('Last').evaluate((handle) => handle.matches(':focus'))).toBe(true);

    const [after] = (await shop.list('q=last')).body.data;
    expect(after).toMatchObject({ use_default: true, sort_order: 20, own: before?.own ?? {} });
    await expect.poll(() => operator.labels()).toEqual(['First', 'Own', 'Last']);
    expect(operator.errors).toEqual([]);
  });

  it('is changed with progress and one Undo, if a move needs several requests', async () => {
    const project = freshProject();
    const methods = page.host.app.get(ShippingMethodsService);
    const requests = Array.from({ length: 20 }, (_, index) => ({
      carrier_code: 'c',
      method_code: String(index + 10),
      method_label: `m${index + 10}`,
    }));
    await methods.upsertMany(project, requests);
    const operator = await page.open(project, { viewport: { width: 800, height: 1400 } });
    await operator.row('m29').waitFor();
    const before = await operator.labels();

    const { held, release } = hold();
    const changes = changesOf(operator);
    await operator.page.route('**/methods/*', async (route) => {
      if (changes.length === 4) await held;
      await route.continue();
    });

    await drag(operator, 'm29', 'm20');
    await operator.notice('Saving: 3 of ');
    release();
    await operator.notice('“m29” is now 11 of 20.');
    const moved = before.toSpliced(19, 1).toSpliced(10, 0, 'm29');
    expect(await checkout(new Client(page.origin, project))).toEqual(moved);
    expect(await operator.labels()).toEqual(moved);
    await operator.button('Undo').click();
    await operator.notice('Undone: ');

    await expect.poll(() => operator.labels()).toEqual(before);
    const numbers = (await methods.findAll(project)).map(({ sort_order }) => sort_order);
    expect(new Set(numbers)).toEqual(new Set([0]));
    expect(operator.errors).toEqual([]);
  });

  it('scrolls while a method is dragged to a place that is not on the screen', async () => {
    const project = freshProject();
    const requests = Array.from({ length: 30 }, (_, index) => ({
      carrier_code: 'c',
      method_code: String(index + 10),
      method_label: `m${index + 10}`,
      sort_order: index,
    }));
    await page.host.app.get(ShippingMethodsService).upsertMany(project, requests);
    const operator = await page.open(project, { viewport: { width: 800, height: 500 } });
    await operator.handle('m10').hover();
    await operator.page.mouse.down();

    await expect
      .poll(
        async () => {
          for (const y of [450, 460]) await operator.page.mouse.move(100, y);
          return (await operator.row('m39').boundingBox())?.y ?? 1_000;
        },
        { interval: 5, timeout: 10_000 },
      )
      .toBeLessThan(440);
    const last = await operator.row('m39').boundingBox();
    await operator.page.mouse.move(100, (last?.y ?? 0) + 10, { steps: 3 });
    await operator.page.mouse.up();
    await operator.notice('“m10” is now 30 of 30.');

    expect(operator.errors).toEqual([]);
  });

  it('stays, if somebody removes the row to which a method is dragged', async () => {
    const { shop, operator } = await page.openShop();
    const before = await operator.labels();
    const target = await operator.row('UPS Express').boundingBox();
    await operator.handle('DHL Worldwide').hover();
    await operator.page.mouse.down();
    await operator.page.mouse.move((target?.x ?? 0) + 20, (target?.y ?? 0) + 10, { steps: 5 });
    await shop.remove((await shop.list('q=express')).body.data[0]?.id ?? '');
    await operator.page.evaluate(returned);
    await operator.row('UPS Express').waitFor({ state: 'detached' });

    await operator.page.mouse.up();
    await operator.handle('UPS Ground').press('End');
    await operator.notice('“UPS Ground” is now 3 of 3.');

    const [first = '', ...others] = before.filter((label) => label !== 'UPS Express');
    expect(await checkout(shop)).toEqual([...others, first]);
    expect(operator.errors).toEqual([]);
  });

  it('is changed past the next method that is shown, although the moves before are not saved yet', async () => {
    const shop = new Client(page.origin, freshProject());
    for (const [index, method_label] of ['1x', '2', '3', '4x', '5x', '6', '7'].entries())
      await shop.create({ carrier_code: 'c', method_code: method_label, method_label, sort_order: index });
    const operator = await page.open(`${shop.project}&q=x`);
    await operator.page.route('**/methods/*', (route) => delay(100).then(() => route.fallback()));

    for (let press = 0; press < 3; press++) await operator.handle('1x').press('ArrowDown');
    await operator.notice('“1x” is now 5 of 7.');
    await operator.page.waitForLoadState('networkidle');

    expect(await checkout(shop)).toEqual(['2', '3', '4x', '5x', '1x', '6', '7']);
    await operator.page.keyboard.press('ControlOrMeta+z');
    await operator.notice('Undone: “1x” is as before.');
    expect((await checkout(shop))[0]).toBe('1x');
    expect(operator.errors).toEqual([]);
  });

  it('stays where it is, if the filters hide the method before its next step', async () => {
    const { shop, operator } = await page.openShop();
    const { held, release } = hold();
    await operator.page.route('**/methods/*', (route) => held.then(() => route.fallback()));
    for (let press = 0; press < 2; press++) await operator.handle('UPS Express').press('ArrowDown');

    await operator.page.getByRole('searchbox').fill('2nd day');
    await operator.row('UPS Express').waitFor({ state: 'detached' });
    release();
    await operator.notice('“UPS Express” is now 4 of 4.');
    await operator.toggle('UPS 2nd Day Air').click();
    await operator.notice('“UPS 2nd Day Air” is off');

    expect((await checkout(shop)).at(-1)).toBe('UPS Express');
    expect(operator.errors).toEqual([]);
  });

  it('is taken back with the steps that waited when Undo was pressed, also after an outage', async () => {
    const { shop, operator } = await page.openShop();
    const before = await checkout(shop);
    const { held, release } = hold();
    await operator.page.route('**/tree', (route) => held.then(() => route.fallback()));
    let changes = 0;
    await operator.page.route('**/methods/*', (route) => {
      const isUndo = route.request().method() === 'PATCH' && ++changes === 4;
      return isUndo ? route.fulfill({ status: 429 }) : route.fallback();
    });
    for (let press = 0; press < 3; press++) await operator.handle('UPS Ground').press('ArrowDown');
    await operator.notice('“UPS Ground” is now 2 of 4.');

    await operator.page.keyboard.press('ControlOrMeta+z');
    release();
    await operator.notice('This was not saved.');
    await operator.page.keyboard.press('ControlOrMeta+z');
    await operator.notice('Undone: “UPS Ground” is as before.');

    expect(await checkout(shop)).toEqual(before);
    expect(operator.errors).toEqual([]);
  });

  it('is taken back without what somebody else has changed between two steps', async () => {
    const { shop, operator } = await page.openShop();
    await operator.handle('UPS Ground').press('ArrowDown');
    await operator.notice('“UPS Ground” is now 2 of 4.');
    const [method] = (await shop.list('filter[method_code]=03')).body.data;
    const request = toUpsertRequest(method as ShippingMethodDto);
    await shop.update(method?.id ?? '', { ...request, method_label: 'Changed' });
    await operator.page.evaluate(returned);
    await operator.handle('Changed').press('ArrowDown');
    await operator.notice('“Changed” is now 3 of 4.');

    await operator.page.keyboard.press('ControlOrMeta+z');
    await operator.notice('Undone: ');

    expect(await checkout(shop)).toEqual(['UPS 2nd Day Air', 'Changed', 'UPS Express', 'DHL Worldwide']);
    expect(operator.errors).toEqual([]);
  });

  it('reports that another client has changed the method before a move', async () => {
    const { shop, operator } = await page.openShop();
    const [method] = (await shop.list('filter[method_code]=02')).body.data;
    const request = toUpsertRequest(method as ShippingMethodDto);
    await shop.update(method?.id ?? '', { ...request, method_label: 'Changed' });

    await operator.handle('UPS 2nd Day Air').press('ArrowUp');
    await operator.notice('Somebody else has changed a method');

    await operator.row('Changed').waitFor();
    await expect.poll(() => operator.labels()).toEqual(await checkout(shop));
    expect(operator.errors).toEqual([]);
  });
});
