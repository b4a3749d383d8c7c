import { type ShippingMethodDto, upsertRequestOf } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { isInstalled, pageInBrowser, place } from './page-in-browser.js';

describe.skipIf(!isInstalled)(`the form of a method${place}`, () => {
  const page = pageInBrowser();

  it('shows every violation of a new method at its field', async () => {
    const { shop, operator } = await page.openShop();
    await operator.button('Add a method').click();
    await operator.fillIn({
      'Carrier code': 'dhl ',
      'Carrier label': 'DHL',
      'Method code': 'T',
      'Method label': 'DHL 12:00',
      'Sort order': 'soon',
      Details: 'days: 5\nsix',
    });

    await operator.button('Save').click();
    await operator.text('Some fields need your attention.').waitFor();

    expect(await operator.errorAt('Carrier code')).toBe(
      'U+0020 at position 4 is not allowed here. Use visible characters, with single spaces between them.',
    );
    expect(await operator.errorAt('Sort order')).toBe('Sort order must be an integer.');
    expect(await operator.errorAt('Details')).toContain('Write a name, a colon and a value on each line');
    expect(await operator.errorAt('Method label')).toBeNull();
    for (const line of ['six', ': 6', '  : 6', '"six"', 'days: 5\ndays : 6']) {
      await operator.field('Details').fill(`days: 5\n${line}`);
      await operator.button('Save').click();
      await operator.dialog().getByRole('button', { name: 'Save', disabled: false }).waitFor();
      expect([line, await operator.errorAt('Details')]).toEqual([
        line,
        'Write a name, a colon and a value on each line, and each name once.',
      ]);
    }
    expect(await operator.accessibilityFaults()).toEqual([]);
    await operator.fillIn({ 'Carrier code': 'dhl', 'Sort order': '5', Details: '' });
    await operator.button('Save').click();
    await operator.notice('“DHL 12:00” is saved.');
    expect(await operator.labels()).toEqual([
      'DHL 12:00',
      'DHL Worldwide',
      'UPS Ground',
      'UPS 2nd Day Air',
      'UPS Express',
    ]);
    expect((await shop.list('q=12:00')).body.data).toMatchObject([{ carrier_code: 'dhl', sort_order: 5 }]);
    expect(operator.errors).toEqual([]);
  });

  it('leads from taken codes to the method that has them', async () => {
    const { operator } = await page.openShop();
    await operator.button('Add a method').click();
    await operator.fillIn({ 'Carrier code': 'ups', 'Method code': '07', 'Method label': 'Express' });
    await operator.button('Save').click();
    await operator.button('Discard my input and open that method').click();

    await operator.dialog('Edit “UPS Express”').waitFor();
    expect(await operator.field('Method label').inputValue()).toBe('UPS Express');
    expect(operator.errors).toEqual([]);
  });

  it('edits a method, its details included, and makes it inactive', async () => {
    const { shop, operator } = await page.openShop();
    await operator.button('Edit UPS Ground').click();
    await operator.fillIn({ 'Method label': 'Ground', Details: 'days: 5\nphone: "01234"\nname: a: b' });

    await operator.button('Save').click();
    await operator.notice('“Ground” is saved.');
    await operator.toggle('Ground').click();
    await operator.notice('“Ground” is now inactive');

    const { body } = await shop.list('filter[method_code]=03');
    const meta = { days: 5, phone: '01234', name: 'a: b' };
    expect(body.data).toMatchObject([{ method_label: 'Ground', meta, is_active: false }]);
    expect(operator.errors).toEqual([]);
  });

  it('shows the inherited values, and a changed value is no longer inherited', async () => {
    const defaults = new Client(page.origin, 'default');
    const codes = { carrier_code: freshProject(), method_code: '1' };
    await defaults.create({ ...codes, method_label: 'Inherited label', meta: { days: 1 } });
    const shop = new Client(page.origin, freshProject());
    const { body: method } = await shop.create({ ...codes, method_label: 'Own label', use_default: true });
    const operator = await page.open(shop.project);
    expect(await operator.row('Inherited label').textContent()).toContain(
      'from project “default”: Method label, Sort order',
    );

    await operator.button('Edit Inherited label').click();
    expect(await operator.field('Method label').inputValue()).toBe('Inherited label');
    const note = operator.text('From the project “default”.').first();
    expect(await note.isVisible()).toBe(true);
    expect(await operator.accessibilityFaults()).toEqual([]);
    const usesDefault = operator.page.getByRole('switch', { name: 'Use the default values' });
    await usesDefault.click();
    expect(await note.isVisible()).toBe(false);
    await usesDefault.click();
    await operator.field('Method label').fill('Mine');
    await operator.dialog().getByRole('switch', { name: 'Active' }).click();
    await operator.button('Save').click();
    await operator.notice('“Mine” is saved.');
    await operator.toggle('Mine').click();
    await operator.notice('is now active');

    const { body } = await shop.list(`filter[id]=${method.id}`);
    const use_default = ['carrier_label', 'sort_order', 'meta', 'is_active'];
    expect(body.data).toMatchObject([
      { method_label: 'Mine', meta: { days: 1 }, own: { meta: {} }, is_active: true, use_default },
    ]);
    expect(operator.errors).toEqual([]);
  });

  it('leaves the inherited fields as they are when the switch is not used', async () => {
    const shop = new Client(page.origin, freshProject());
    const codes = { carrier_code: shop.project, method_code: '1' };
    await new Client(page.origin, 'default').create({ ...codes, method_label: 'Inherited label' });
    await shop.create({ ...codes, method_label: 'Own label', use_default: ['method_label'] });
    const operator = await page.open(shop.project);

    await operator.button('Edit Inherited label').click();
    await operator.fillIn({ 'Sort order': '7' });
    await operator.button('Save').click();
    await operator.notice('“Inherited label” is saved.');

    const expected = { sort_order: 7, use_default: ['method_label'], own: { method_label: 'Own label' } };
    expect((await shop.list()).body.data).toMatchObject([expected]);
    expect(operator.errors).toEqual([]);
  });

  it('keeps the values that are shown when the default values are switched off', async () => {
    const shop = new Client(page.origin, freshProject());
    const codes = { carrier_code: shop.project, method_code: '1' };
    await new Client(page.origin, 'default').create({ ...codes, method_label: 'Inherited label' });
    await shop.create({ ...codes, method_label: 'Own label', use_default: true });
    const operator = await page.open(shop.project);

    await operator.button('Edit Inherited label').click();
    await operator.page.getByRole('switch', { name: 'Use the default values' }).click();
    await operator.button('Save').click();
    await operator.notice('“Inherited label” is saved.');

    expect((await shop.list()).body.data).toMatchObject([
      { method_label: 'Inherited label', use_default: false },
    ]);
    expect(operator.errors).toEqual([]);
  });

  it('shows what another client has changed, and saves only the fields of the operator', async () => {
    const { shop, operator } = await page.openShop();
    await operator.button('Edit UPS Ground').click();
    await operator.field('Method label').fill('My label');
    const [method] = (await shop.list('filter[method_code]=03')).body.data;
    await shop.update(method?.id ?? '', {
      ...upsertRequestOf(method as ShippingMethodDto),
      method_label: 'Their label',
      sort_order: 11,
    });

    await operator.button('Save').click();
    await operator.text('Somebody changed this method while you edited it').waitFor();

    const change = operator.dialog().getByRole('row').filter({ hasText: 'Method label' });
    expect(await change.getByRole('cell').allTextContents()).toEqual([
      'UPS Ground',
      'Their label',
      'My label',
    ]);
    expect(await operator.accessibilityFaults()).toEqual([]);
    await operator.button('Keep my changes').click();
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
    await operator.button('Edit Inherited label').click();
    await operator.field('Method label').fill('My label');
    await shop.update(method.id, { ...form, method_label: 'Their label' });

    await operator.button('Save').click();
    await operator.text('Somebody changed this method while you edited it').waitFor();

    const change = operator.dialog().getByRole('row').filter({ hasText: 'Method label' });
    const cells = await change.getByRole('cell').allTextContents();
    expect(cells).toEqual(['Own label', 'Their label', 'My label']);
    expect(operator.errors).toEqual([]);
  });

  it('shows the list as it is now, after somebody has removed the method that was edited', async () => {
    const { shop, operator } = await page.openShop();
    const [method] = (await shop.list('filter[method_code]=03')).body.data;
    await operator.button('Edit UPS Ground').click();
    await operator.field('Method label').fill('My label');
    await shop.remove(method?.id ?? '');

    await operator.button('Save').click();
    await operator.text('Somebody removed this method while you edited it').waitFor();
    await operator.button('Cancel').click();

    await operator.row('UPS Ground').waitFor({ state: 'detached' });
    expect(operator.errors).toEqual([]);
  });

  it('is used with the keyboard alone, and the focus returns to where it was', async () => {
    const { shop, operator } = await page.openShop();
    const { keyboard } = operator.page;
    await operator.page.getByRole('searchbox').focus();
    // The two lists, then the handle, the switch and the button of the first row.
    for (let step = 1; step <= 5; step++) await keyboard.press('Tab');
    await keyboard.press('Enter');
    await operator.dialog('Edit “UPS Ground”').waitFor();
    for (let step = 1; step <= 3; step++) await keyboard.press('Tab');
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type('Ground');
    await keyboard.press('Enter');
    await operator.notice('“Ground” is saved.');

    const focused = await operator.page.evaluate<string>('document.activeElement.getAttribute("aria-label")');
    expect(focused).toBe('Edit Ground');
    await keyboard.press('Enter');
    await operator.dialog('Edit “Ground”').waitFor();
    await keyboard.press('Escape');
    await operator.dialog().waitFor({ state: 'detached' });
    expect((await shop.list('filter[method_code]=03')).body.data).toMatchObject([{ method_label: 'Ground' }]);
    expect(operator.errors).toEqual([]);
  });
});
