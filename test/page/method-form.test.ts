import { type ShippingMethodDto, toUpsertRequest } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { Client, freshProject, ground } from '../support/client.js';
import { hold, isInstalled, pageInBrowser, place } from './page-in-browser.js';

describe.skipIf(!isInstalled)(`the form of a method${place}`, () => {
  const page = pageInBrowser();

  it('shows every violation of a new method at its field, until it is saved again', async () => {
    const { shop, operator } = await page.openShop();
    await operator.button('Add a method').click();
    await operator.fillIn({
      'Carrier code': 'd\u00A0l',
      'Carrier name': 'DHL',
      'Method code': 'T',
      Name: '',
      Details: 'days: 5\nsix',
    });

    await operator.button('Save').click();
    await operator.text('Name is required.').waitFor();

    // Each error is at its field, so nothing below the buttons repeats it.
    expect(await operator.text('Some fields need your attention.').count()).toBe(0);
    expect(await operator.errorAt('Carrier code')).toBe(
      'U+00A0 at position 2 is not allowed here. Use visible characters, with single spaces between them.',
    );
    expect(await operator.errorAt('Name')).toBe('Name is required.');
    expect(await operator.errorAt('Details')).toContain('Line 2: write a name, a colon');
    expect(await operator.errorAt('Method code')).toBeNull();
    expect(await operator.accessibilityFaults()).toEqual([]);
    await operator.fillIn({ 'Carrier code': ' DHL ', Name: 'DHL 12:00', Details: '' });
    let errors = -1;
    await operator.page.route('**/methods', async (route) => {
      await operator.button('Saving …').waitFor();
      errors = await operator.page.locator('dialog [role=alert], dialog .violation').count();
      await route.continue();
    });
    await operator.button('Save').click();
    await operator.notice('“DHL 12:00” is saved.');
    await expect
      .poll(() => operator.labels())
      .toEqual(['UPS Ground', 'UPS 2nd Day Air', 'UPS Express', 'DHL Worldwide', 'DHL 12:00']);
    expect(errors).toBe(0);
    expect((await shop.list('q=12:00')).body.data).toMatchObject([{ carrier_code: 'dhl', sort_order: 50 }]);
    expect(operator.errors).toEqual([]);
  });

  it('that is left while it saves says so, because the request cannot be taken back', async () => {
    const { operator } = await page.openShop();
    const { held, release } = hold();
    await operator.page.route('**/methods/*', async (route) => {
      if (route.request().method() === 'PATCH') await held;
      await route.continue();
    });
    await operator.button('UPS Ground').click();
    await operator.field('Name').fill('Renamed');
    await operator.button('Save').click();

    await operator.page.keyboard.press('Escape');
    await operator.notice('Saving');
    release();

    await operator.notice('“Renamed” is saved.');
    expect(operator.errors).toEqual([]);
  });

  it('sends nothing else while it saves, whatever key is pressed', async () => {
    const { shop, operator } = await page.openShop();
    const { held, release } = hold();
    await operator.page.route(
      '**/methods/*',
      (route) => held.then(() => route.fulfill({ status: 503, json: { code: 'database_unavailable' } })),
      { times: 1 },
    );
    await operator.button('UPS Ground').click();
    await operator.field('Name').fill('Renamed');
    await operator.field('Name').press('Control+Enter');

    // The disabled fields have no values, and the switch would be off.
    await operator.button('Cancel').focus();
    await operator.page.keyboard.press('Control+Enter');
    release();
    await operator.alert('The server or its database is busy');
    await operator.page.waitForLoadState('networkidle');

    expect((await shop.list('q=ground')).body.data).toMatchObject([{ is_active: true, version: 1 }]);
    expect(operator.errors).toEqual([]);
  });

  it('asks before the page is left with what the user has typed, and while it saves', async () => {
    const { operator } = await page.openShop();
    const questions: string[] = [];
    operator.page.on('dialog', (dialog) => {
      questions.push(dialog.type());
      void dialog.dismiss();
    });
    const leave = async (): Promise<void> => {
      const asked = operator.page.waitForEvent('dialog');
      await operator.page.evaluate('void location.reload()');
      await asked;
    };
    await operator.button('UPS Ground').click();
    await operator.field('Name').fill('Typed');
    await leave();
    expect(await operator.field('Name').inputValue()).toBe('Typed');
    const { held, release } = hold();
    await operator.page.route('**/methods/*', (route) => held.then(() => route.fallback()));
    await operator.button('Save').click();
    await leave();
    release();
    await operator.notice('“Typed” is saved.');

    expect(questions).toEqual(['beforeunload', 'beforeunload']);
    await operator.page.reload();
    expect(questions).toHaveLength(2);
    expect(operator.errors).toEqual([]);
  });

  it('that was left opens no other one over what the user types now', async () => {
    const { operator } = await page.openShop();
    const { held, release } = hold();
    await operator.page.route('**/methods', (route) => held.then(() => route.continue()));
    await operator.button('Add a method').click();
    await operator.fillIn({ 'Carrier code': 'gls', 'Method code': '1', Name: 'GLS Parcel' });
    await operator.button('Save and add another').click();
    await operator.page.keyboard.press('Escape');
    await operator.button('UPS Ground').click();
    await operator.field('Name').fill('Typed');

    release();
    await operator.row('GLS Parcel').waitFor();

    expect(await operator.field('Name').inputValue()).toBe('Typed');
    expect(operator.errors).toEqual([]);
  });

  it('marks taken codes at the method code, and leads to the method that has them', async () => {
    const { operator } = await page.openShop();
    await operator.button('Add a method').click();
    await operator.fillIn({ 'Carrier code': 'ups', 'Method code': '07', Name: 'Express' });
    await operator.button('Save').click();
    await operator.alert('Another method of this project has these two codes.');
    expect(await operator.errorAt('Method code')).toBe('This combination is already taken.');
    expect(await operator.field('Method code').getAttribute('aria-invalid')).toBe('true');
    await operator.button('Discard my input and open that method').click();

    await operator.dialog('Edit “UPS Express”').waitFor();
    expect(await operator.field('Name').inputValue()).toBe('UPS Express');
    expect(operator.errors).toEqual([]);
  });

  it('edits a method, its details included, and makes it inactive', async () => {
    const { shop, operator } = await page.openShop();
    await operator.button('UPS Ground').click();
    await operator.fillIn({ Name: 'Ground', Details: 'name: a: b\n  c\ndays: 5\nphone: "01234"' });

    await operator.field('Details').press('ControlOrMeta+Enter');
    await operator.notice('“Ground” is saved.');
    await operator.toggle('Ground').click();
    await operator.notice('“Ground” is off');

    const { body } = await shop.list('filter[method_code]=03');
    const meta = { days: 5, phone: '01234', name: 'a: b\nc' };
    expect(body.data).toMatchObject([{ method_label: 'Ground', meta, is_active: false }]);
    // A text of several lines does not come between the other details.
    const texts = await operator.row('Ground').locator('dl').innerText();
    expect(texts.indexOf('name')).toBeGreaterThan(texts.indexOf('phone'));
    expect(operator.errors).toEqual([]);
  });

  it('takes the names and the signs that the list shows for details', async () => {
    const { shop, operator } = await page.openShop();
    const meta = { max_weight_kg: 5, signature: true };
    await shop.create({ carrier_code: 'gls', method_code: '1', method_label: 'GLS Parcel', meta });
    await operator.page.reload();
    await operator.text('max weight kg').waitFor();
    await operator.button('UPS Ground').click();
    await operator.field('Details').fill('max weight kg: 7\nsignature: ✓');
    await operator.button('Save').click();
    await operator.notice('“UPS Ground” is saved.');

    const { body } = await shop.list('filter[method_code]=03');
    expect(body.data).toMatchObject([{ meta: { max_weight_kg: 7, signature: true } }]);
    expect(operator.errors).toEqual([]);
  });

  it('shows what another client has changed, and saves only the fields of the operator', async () => {
    const { shop, operator } = await page.openShop();
    await operator.button('UPS Ground').click();
    await operator.fillIn({ Name: 'My label', Details: 'days: 5' });
    const [method] = (await shop.list('filter[method_code]=03')).body.data;
    await shop.update(method?.id ?? '', {
      ...toUpsertRequest(method as ShippingMethodDto),
      method_label: 'Their label',
      sort_order: 11,
    });

    await operator.button('Save').click();
    await operator.text('Somebody changed this method while you edited it').waitFor();

    const rows = operator.dialog().locator('tbody tr');
    expect(await rows.allInnerTexts()).toEqual([
      'Name\tUPS Ground\tTheir label\tMy label',
      'Details\t–\t–\tdays: 5',
      'Place\t10\t11\tno change',
    ]);
    expect(await rows.locator('b').allInnerTexts()).toEqual(['Their label', '11']);
    expect(await operator.accessibilityFaults()).toEqual([]);
    expect(await operator.field('Name').isVisible()).toBe(false);
    await operator.button('Keep my changes').dblclick();
    await operator.notice('“My label” is saved.');
    const { body } = await shop.list('filter[method_code]=03');
    expect(body.data).toMatchObject([{ method_label: 'My label', sort_order: 11, version: 3 }]);
    expect(operator.errors).toEqual([]);
  });

  it('shows what another client has changed, although an inherited value covers it', async () => {
    const shop = new Client(page.origin, freshProject());
    const codes = { carrier_code: shop.project, method_code: '1' };
    const form = { ...codes, method_label: 'Own label', use_default: true };
    await new Client(page.origin, 'default').create({ ...codes, method_label: 'Inherited label' });
    const { body: method } = await shop.create(form);
    const operator = await page.open(shop.project);
    await operator.button('Inherited label').click();
    await operator.button('Name: Change here').click();
    await operator.field('Name').fill('My label');
    await shop.update(method.id, { ...form, method_label: 'Their label' });

    await operator.button('Save').click();
    await operator.text('Somebody changed this method while you edited it').waitFor();

    const change = operator.dialog().getByRole('row').filter({ hasText: 'Name' });
    const cells = await change.getByRole('cell').allTextContents();
    expect(cells).toEqual(['Own label', 'Their label', 'My label']);
    expect(operator.errors).toEqual([]);
  });

  it('creates a method again that somebody has removed meanwhile, with what the user has typed', async () => {
    const { shop, operator } = await page.openShop();
    const [method] = (await shop.list('filter[method_code]=03')).body.data;
    await operator.button('UPS Ground').click();
    await operator.field('Name').fill('My label');
    await shop.remove(method?.id ?? '');

    await operator.button('Save').click();
    await operator.text('Somebody removed this method while you edited it').waitFor();
    await operator.row('UPS Ground').waitFor({ state: 'detached' });
    await operator.button('Create it again').waitFor();
    expect(await operator.button('Remove method').count()).toBe(0);
    expect(await operator.button('Save').isVisible()).toBe(false);
    await operator.button('Create it again').click();
    await operator.notice('“My label” is saved.');

    const values = toUpsertRequest({ ...(method as ShippingMethodDto), method_label: 'My label' });
    expect((await shop.list('filter[method_code]=03')).body.data).toMatchObject([values]);
    await expect.poll(() => operator.labels()).toContain('My label');
    expect(operator.errors).toEqual([]);
  });

  it('keeps the carrier for another method, and knows the name of a carrier', async () => {
    const { shop, operator } = await page.openShop();
    await operator.button('Add a method').click();
    await operator.fillIn({ 'Carrier code': 'ups', 'Method code': '11', Name: 'UPS Standard' });
    expect(await operator.field('Carrier name').inputValue()).toBe('UPS');

    await operator.button('Save and add another').click();
    await operator.notice('“UPS Standard” is saved.');
    await expect.poll(() => operator.field('Carrier code').inputValue()).toBe('ups');
    await operator.fillIn({ 'Method code': '12', Name: 'UPS 3 Day' });
    await operator.field('Name').press('Enter');
    await operator.notice('“UPS 3 Day” is saved.');
    await operator.dialog().waitFor({ state: 'detached' });
    await expect.poll(() => operator.page.evaluate('document.activeElement.textContent')).toBe('UPS 3 Day');

    const { data } = (await shop.list('q=ups&per_page=10')).body;
    expect(data.map(({ carrier_label }) => carrier_label)).toEqual(['UPS', 'UPS', 'UPS', 'UPS', 'UPS']);
    await expect.poll(async () => (await operator.labels()).slice(4)).toEqual(['UPS Standard', 'UPS 3 Day']);
    expect(operator.errors).toEqual([]);
  });

  it('adds a method after one that has the largest sort order', async () => {
    const shop = new Client(page.origin, freshProject());
    await shop.create({ ...ground, sort_order: 2_147_483_647 });
    const operator = await page.open(shop.project);
    await operator.button('Add a method').click();
    await operator.fillIn({ 'Carrier code': 'ups', 'Method code': '11', Name: 'UPS Standard' });
    await operator.button('Save').click();
    await operator.notice('“UPS Standard” is saved.');
    expect(operator.errors).toEqual([]);
  });

  it('asks the same question before Escape, Remove and Cancel throw away what the user has typed', async () => {
    const { operator } = await page.openShop();
    const questions: string[] = [];
    operator.page.on('dialog', (dialog) => {
      questions.push(dialog.message());
      void (questions.length < 5 ? dialog.dismiss() : dialog.accept());
    });
    await operator.button('UPS Ground').click();
    await operator.field('Name').fill('Typed');

    for (const count of [1, 2, 3]) {
      await operator.page.keyboard.press('Escape');
      await expect.poll(() => questions).toHaveLength(count);
    }
    await operator.button('Remove method').click();
    await expect.poll(() => questions).toHaveLength(4);
    expect(await operator.field('Name').inputValue()).toBe('Typed');
    await operator.button('Cancel').click();
    await operator.dialog().waitFor({ state: 'detached' });

    expect(questions).toEqual(Array.from({ length: 5 }, () => 'Discard what you have changed?'));
    expect(await operator.labels()).toContain('UPS Ground');
    expect(operator.errors).toEqual([]);
  });

  it('is used with the keyboard alone, and the focus returns to where it was', async () => {
    const { shop, operator } = await page.openShop();
    const { keyboard } = operator.page;
    await operator.handle('UPS Ground').focus();
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await operator.dialog('Edit “UPS Ground”').waitFor();
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type('Ground');
    await keyboard.press('Enter');
    await operator.notice('“Ground” is saved.');

    const focused = (): Promise<string> => operator.page.evaluate('document.activeElement.textContent');
    await expect.poll(focused).toBe('Ground');
    await keyboard.press('End');
    expect(await focused()).toBe('DHL Worldwide');
    await keyboard.press('ArrowUp');
    await keyboard.press('Enter');
    await operator.dialog('Edit “UPS Express”').waitFor();
    await keyboard.press('Escape');
    await operator.dialog().waitFor({ state: 'detached' });
    expect(await focused()).toBe('UPS Express');
    expect((await shop.list('filter[method_code]=03')).body.data).toMatchObject([{ method_label: 'Ground' }]);
    expect(operator.errors).toEqual([]);
  });
});
