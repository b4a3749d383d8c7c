import { describe, expect, it } from 'vitest';
import { ground } from '../support/client.js';
import { hold, isInstalled, pageInBrowser, place } from './page-in-browser.js';

describe.skipIf(!isInstalled)(`the status line of the page${place}`, () => {
  const page = pageInBrowser();

  it('takes back a switch, and shows while a change is saved', async () => {
    const { shop, operator } = await page.openShop();
    const { held, release } = hold();
    await operator.page.route('**/methods/*', async (route) => {
      if (route.request().method() === 'PATCH') await held;
      await route.continue();
    });

    await operator.toggle('UPS Ground').click();
    await operator.page.getByRole('status').getByText('Saving …').waitFor();
    release();
    await operator.notice('“UPS Ground” is off: customers can no longer choose it.');
    expect(await operator.accessibilityFaults()).toEqual([]);
    await operator.button('Undo').click();
    await operator.notice('Undone: “UPS Ground” is as before.');

    await expect.poll(() => operator.toggle('UPS Ground').isChecked()).toBe(true);
    await expect.poll(() => operator.page.evaluate('document.activeElement.textContent')).toBe('UPS Ground');
    expect((await shop.list('filter[is_active]=true')).body.meta.total).toBe(4);
    expect(operator.errors).toEqual([]);
  });

  it('does a change again by Ctrl+Shift+Z only, after Ctrl+Z has taken it back', async () => {
    const { shop, operator } = await page.openShop();
    const active = async (): Promise<number> => (await shop.list('filter[is_active]=true')).body.meta.total;
    const search = operator.page.getByRole('searchbox');
    await search.pressSequentially('ground');
    await search.fill('');
    await operator.toggle('UPS Ground').click();
    await operator.notice('“UPS Ground” is off');

    await operator.page.keyboard.press('ControlOrMeta+z');
    await operator.notice('Undone: ');
    await operator.page.keyboard.press('ControlOrMeta+z');
    expect(await search.inputValue()).toBe('');
    // Changes run one after another, so this one comes after all that the keys have begun.
    await operator.toggle('UPS Express').click();
    await operator.notice('“UPS Express” is off');
    expect(await active()).toBe(3);
    await operator.page.keyboard.press('ControlOrMeta+z');
    await operator.notice('Undone: ');
    await operator.page.keyboard.press('ControlOrMeta+Shift+z');
    await operator.notice('is off');

    expect(await active()).toBe(3);
    expect(operator.errors).toEqual([]);
  });

  it('takes back a removal with all values of the method', async () => {
    const { shop, operator } = await page.openShop();
    const { body: before } = await shop.create({
      carrier_code: 'gls',
      method_code: '1',
      method_label: 'GLS Parcel',
      meta: { days: 2 },
      sort_order: 35,
      is_active: false,
    });
    await operator.page.reload();
    await operator.remove('GLS Parcel');
    await operator.notice('“GLS Parcel” is removed.');

    await operator.page.keyboard.press('ControlOrMeta+z');
    await operator.notice('Undone: ');

    const { id: _, etag: _etag, created_at: _created, updated_at: _updated, ...values } = before;
    expect((await shop.list('q=gls')).body.data).toMatchObject([values]);
    expect(operator.errors).toEqual([]);
  });

  it('takes back the last change after a form was saved in which nothing had changed', async () => {
    const { operator } = await page.openShop();
    await operator.toggle('UPS Ground').click();
    await operator.notice('“UPS Ground” is off');

    await operator.button('UPS Express').click();
    await operator.button('Save').click();
    await operator.dialog().waitFor({ state: 'detached' });
    await operator.page.keyboard.press('ControlOrMeta+z');

    await operator.notice('Undone: “UPS Ground” is as before.');
    expect(operator.errors).toEqual([]);
  });

  it('takes back only once by a double click, and the second click does not bring the change back', async () => {
    const { shop, operator } = await page.openShop();
    await operator.page.getByRole('combobox', { name: 'Carrier' }).selectOption('UPS');
    const active = async (): Promise<number> => (await shop.list('filter[is_active]=true')).body.meta.total;
    const clickTwice = async (first: string, second: string): Promise<void> => {
      const { x = 0, y = 0 } = (await operator.button(first).boundingBox()) ?? {};
      await operator.page.mouse.click(x + 10, y + 10);
      await operator.button(second).waitFor();
      await operator.page.mouse.down({ clickCount: 2 });
      await operator.page.mouse.up({ clickCount: 2 });
      await operator.page.waitForLoadState('networkidle');
    };

    await clickTwice('Switch off 3', 'Switch on 3');
    expect(await active()).toBe(1);
    await clickTwice('Undo', 'Redo');
    expect(await active()).toBe(4);

    expect(operator.errors).toEqual([]);
  });

  it('takes back the last change, and not an earlier one that has stopped', async () => {
    const { shop, operator } = await page.openShop();
    let changes = 0;
    await operator.page.route('**/methods/*', async (route) => {
      const isSecond = route.request().method() === 'PATCH' && ++changes === 2;
      await (isSecond ? route.fulfill({ status: 409 }) : route.fallback());
    });
    await operator.page.getByRole('combobox', { name: 'Carrier' }).selectOption('UPS');
    await operator.button('Switch off 3').click();
    await operator.notice('Saving stopped: 1 of 3 are saved.');
    await operator.remove('UPS Express');
    await operator.notice('“UPS Express” is removed.');

    await operator.page.keyboard.press('ControlOrMeta+z');
    await operator.notice('Undone: “UPS Express” is as before.');

    expect((await shop.list('filter[is_active]=false')).body.meta.total).toBe(1);
    expect(operator.errors).toEqual([]);
  });

  it('takes back by keys what was saved last, below an earlier change that has stopped meanwhile', async () => {
    const { operator } = await page.openShop();
    const { held, release } = hold();
    let changes = 0;
    await operator.page.route('**/methods/*', async (route) => {
      const request = route.request();
      if (request.postData()?.includes('Renamed')) return held.then(() => route.fallback());
      const isSecond = request.method() === 'PATCH' && ++changes === 2;
      // The form is saved while the change of several methods still runs.
      if (isSecond) await operator.button('Saving …').waitFor();
      await (isSecond ? route.fulfill({ status: 409 }) : route.fallback());
    });
    await operator.page.getByRole('combobox', { name: 'Carrier' }).selectOption('UPS');
    await operator.button('Switch off 3').click();
    await operator.button('UPS Express').click();
    await operator.field('Name').fill('Renamed');
    await operator.button('Save').click();
    await operator.notice('Saving stopped: 1 of 3 are saved.');
    release();
    await operator.notice('“Renamed” is saved.');

    await operator.page.keyboard.press('ControlOrMeta+z');

    await operator.notice('Undone: “UPS Express” is as before.');
    expect(operator.errors).toEqual([]);
  });

  it('does not take back what somebody else has changed since', async () => {
    const { shop, operator } = await page.openShop();
    const [method] = (await shop.list('filter[method_code]=03')).body.data;
    await operator.toggle('UPS Ground').click();
    await operator.notice('“UPS Ground” is off');
    const codes = { carrier_code: 'ups', method_code: '03' };
    await shop.update(method?.id ?? '', { ...codes, method_label: 'Renamed' });

    await operator.button('Undo').click();
    await operator.notice('Somebody else has changed a method');

    expect((await shop.list('q=renamed')).body.data).toMatchObject([{ is_active: false }]);
    expect(operator.errors).toEqual([]);
  });

  it('shows an error with each violation on a line until the user closes it', async () => {
    const { operator } = await page.openShop();
    await operator.page.clock.install();
    await operator.page.route('**/methods/*', async (route) => {
      if (route.request().method() === 'GET') return route.continue();
      const errors = ['/meta/a', '/meta/b'].map((pointer) => ({ pointer, code: 'type', detail: 'is wrong' }));
      await route.fulfill({ status: 400, json: { code: 'validation_failed', errors } });
    });
    const failed = operator.page.locator('output .failed');

    await operator.toggle('UPS Ground').click();
    await failed.waitFor();
    await operator.page.clock.runFor(60_000);
    await operator.page.getByRole('searchbox').click();
    expect(await failed.innerText()).toContain('/meta/a is wrong\n/meta/b is wrong');
    expect(await operator.toggle('UPS Ground').isChecked()).toBe(true);
    expect(await operator.accessibilityFaults()).toEqual([]);
    await operator.page.getByRole('status').getByRole('button', { name: 'Close' }).click();

    expect(await failed.count()).toBe(0);
    expect(operator.errors).toEqual([]);
  });

  it('takes an error away when the user changes something else', async () => {
    const { operator } = await page.openShop();
    const failing = '**/methods/*';
    await operator.page.route(failing, (route) =>
      route.request().method() === 'GET' ? route.continue() : route.fulfill({ status: 400, json: {} }),
    );
    await operator.toggle('UPS Ground').click();
    await operator.notice('This was not saved.');
    await operator.page.unroute(failing);

    await operator.toggle('UPS Ground').click();
    await operator.notice('“UPS Ground” is off');

    expect(await operator.page.locator('output .failed').count()).toBe(0);
    expect(operator.errors).toEqual([]);
  });

  it('does not hide the row that has the focus', async () => {
    const { operator } = await page.openShop({ viewport: { width: 390, height: 500 } });
    const turn = operator.toggle('UPS 2nd Day Air');
    await turn.evaluate((element) => element.scrollIntoView({ block: 'end' }));

    await turn.press('Space');
    await operator.notice('“UPS 2nd Day Air” is off');

    const row = await operator.row('UPS 2nd Day Air').boundingBox();
    const line = await operator.page.getByRole('status').boundingBox();
    expect((row?.y ?? 0) + (row?.height ?? 0)).toBeLessThanOrEqual(line?.y ?? 0);
    expect((line?.y ?? 0) + (line?.height ?? 0)).toBe(500);
    expect(operator.errors).toEqual([]);
  });

  it('takes a notice away after some seconds, but not while the focus is in it', async () => {
    const { operator } = await page.openShop({ viewport: { width: 390, height: 500 } });
    await operator.page.clock.install();
    const status = operator.page.getByRole('status');

    await operator.toggle('UPS Ground').click();
    await operator.notice('“UPS Ground” is off');
    await operator.page.mouse.move(0, 0);
    await operator.button('Undo').focus();
    await operator.page.clock.runFor(60_000);
    expect(await status.textContent()).toContain('is off');
    await operator.toggle('UPS Ground').focus();
    await operator.page.clock.runFor(60_000);

    expect(await status.textContent()).toBe('');
    expect(operator.errors).toEqual([]);
  });
});

describe.skipIf(!isInstalled)(`a change of all methods that a filter shows${place}`, () => {
  const page = pageInBrowser();

  it('switches them off in one step, and on again', async () => {
    const { shop, operator } = await page.openShop();
    const active = async (): Promise<number> => (await shop.list('filter[is_active]=true')).body.meta.total;
    await operator.page.getByRole('combobox', { name: 'Carrier' }).selectOption('UPS');

    await operator.button('Switch off 3').click();
    await operator.notice('3 methods are off: customers can no longer choose them.');
    expect(await active()).toBe(1);
    await operator.button('Undo').click();
    await operator.notice('Undone: the 3 methods are as before.');
    await operator.button('Redo').click();
    await operator.notice('3 methods are off');
    await operator.button('Switch on 3').click();
    await operator.notice('3 methods are on: customers can choose them.');

    expect(await active()).toBe(4);
    expect(operator.errors).toEqual([]);
  });

  it('replaces a text in their names, and shows the new names before', async () => {
    const { shop, operator } = await page.openShop();
    await operator.page.getByRole('searchbox').fill('ups');
    await operator.button('Replace in names').click();
    expect(await operator.field('Find').inputValue()).toBe('ups');
    await operator.fillIn({ Find: 'UPS Ground', 'Replace with': '' });
    await operator.text('0 names change.').waitFor();
    await operator.fillIn({ Find: 'UPS 2', 'Replace with': 'UPS 2nd Day' });
    await operator.text('0 names change.').waitFor();
    await operator.fillIn({ Find: 'ups', 'Replace with': '' });
    await operator.text('3 names change.').waitFor();
    await operator.field('Replace with').press('Enter');
    await operator.dialog().waitFor();
    await operator.fillIn({ Find: 'ups ', 'Replace with': 'United $& ' });

    await operator.text('3 names change.').waitFor();
    expect(await operator.dialog().getByRole('listitem').first().textContent()).toBe(
      'UPS Ground United $& Ground',
    );
    expect(await operator.accessibilityFaults()).toEqual([]);
    await operator.button('Replace').click();
    await operator.notice('3 names are changed.');
    expect((await shop.list('q=united')).body.meta.total).toBe(3);
    await expect
      .poll(() => operator.page.evaluate('document.activeElement.textContent'))
      .toBe('United $& Ground');
    await operator.page.keyboard.press('ControlOrMeta+z');
    await operator.notice('Undone: ');

    expect((await shop.list('q=united')).body.meta.total).toBe(0);
    expect(operator.errors).toEqual([]);
  });

  it('keeps a name that somebody else has given since the preview', async () => {
    const { shop, operator } = await page.openShop();
    await operator.page.getByRole('searchbox').fill('ground');
    await operator.button('Replace in names').click();
    await operator.fillIn({ Find: 'Ground', 'Replace with': 'Land' });
    await operator.text('1 name changes.').waitFor();
    const [method] = (await shop.list('q=ground')).body.data;
    await shop.update(method?.id ?? '', { ...ground, method_label: 'Ground of somebody else' });
    await operator.page.evaluate('document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))');
    await operator.row('Ground of somebody else').waitFor();

    await operator.button('Replace').click();
    await operator.notice('This was not saved. Somebody else has changed a method.');

    expect((await shop.list('q=ground')).body.data).toMatchObject([
      { method_label: 'Ground of somebody else' },
    ]);
    expect(operator.errors).toEqual([]);
  });

  it('asks before the user leaves the page while some of them wait, and not while the list is read', async () => {
    const { operator } = await page.openShop();
    const { held, release } = hold();
    await operator.page.route('**/methods/*', (route) => held.then(() => route.fallback()));
    await operator.page.getByRole('combobox', { name: 'Carrier' }).selectOption('UPS');
    await operator.button('Switch off 3').click();
    await operator.notice('Saving');

    const asked = operator.page.waitForEvent('dialog');
    await operator.field('Project').fill('another');
    const click = operator.button('Open').click();
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    await click;
    release();
    await operator.notice('3 methods are off');

    let read = (): void => undefined;
    const list = new Promise<void>((resolve) => (read = resolve));
    await operator.page.route('**/tree', (route) => list.then(() => route.fallback()));
    await operator.button('Undo').click();
    await operator.notice('Undone: the 3 methods are as before.');
    // All of them are saved, although the list is not read yet.
    let questions = 0;
    operator.page.on('dialog', (dialog) => (questions++, dialog.accept()));
    await operator.field('Project').fill('another');
    await operator.button('Open').click();
    await operator.page.waitForURL(/another/);
    read();
    await operator.text('“another” has no shipping methods yet').waitFor();
    expect(questions).toBe(0);
    expect(operator.errors).toEqual([]);
  });

  it('replaces the names that are left when another user has removed a method meanwhile', async () => {
    const { shop, operator } = await page.openShop();
    const { held, release } = hold();
    await operator.page.route('**/methods/*', (route) => held.then(() => route.fallback()), {
      times: 1,
    });
    await operator.page.getByRole('searchbox').fill('ups');
    await operator.toggle('UPS Ground').click();
    await operator.button('Replace in names').click();
    await operator.fillIn({ Find: 'UPS', 'Replace with': 'United' });
    const { data } = (await shop.list('q=express')).body;
    await shop.remove(data[0]?.id ?? '');
    await operator.button('Replace').click();
    release();

    await operator.row('United Ground').waitFor();
    await operator.row('United 2nd Day Air').waitFor();
    expect((await shop.list('q=united')).body.meta.total).toBe(2);
    expect(operator.errors).toEqual([]);
  });

  it('keeps the changed names in the list until the search is changed', async () => {
    const { operator } = await page.openShop();
    const search = operator.page.getByRole('searchbox');
    await search.fill('worldwide');
    await operator.button('Replace in names').click();
    await operator.fillIn({ 'Replace with': 'Express' });
    await operator.button('Replace').click();
    await operator.notice('1 name is changed.');

    await operator.row('DHL Express').waitFor();
    expect(await operator.labels()).toEqual(['DHL Express']);
    await search.fill('worldwid');

    await operator.text('No method matches').waitFor();
    expect(operator.errors).toEqual([]);
  });
});
