import { type UpsertShippingMethodRequest } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { isInstalled, type Operator, pageInBrowser, place } from './page-in-browser.js';

describe.skipIf(!isInstalled)(`fields that come from a default, on the page${place}`, () => {
  const page = pageInBrowser();

  /** A project with one method whose default has other values. */
  async function openInheriting(
    own: Partial<UpsertShippingMethodRequest> = { use_default: true },
    standard: Partial<UpsertShippingMethodRequest> = {},
  ): Promise<{ shop: Client; defaults: Client; id: string; codes: object; operator: Operator }> {
    const [shop, defaults] = [new Client(page.origin, freshProject()), new Client(page.origin, 'default')];
    const codes = { carrier_code: shop.project, method_code: '1' };
    const shared = { method_label: 'Shared name', carrier_label: 'Shared carrier', meta: { days: 1 } };
    const { body } = await defaults.create({ ...codes, ...shared, ...standard });
    await shop.create({ ...codes, method_label: 'Own name', ...own });
    const operator = await page.open(shop.project);
    await operator.page.locator('.methods .name').waitFor();
    return { shop, defaults, id: body.id, codes, operator };
  }

  async function giveOtherCode(operator: Operator, label: string): Promise<void> {
    await operator.button(label).click();
    await operator.button('Change codes').click();
    await operator.text('With other codes, the method keeps the values that it shows').waitFor();
    await operator.field('Method code').fill('2');
    await operator.button('Save').click();
    await operator.notice(`“${label}” is saved.`);
  }

  const stored = async (shop: Client) => (await shop.list()).body.data[0];

  it('are text until the user changes one of them here, and the others stay shared', async () => {
    const { shop, operator } = await openInheriting();
    expect(await operator.page.locator('.methods .mark').textContent()).toBe('');

    await operator.button('Shared name').click();
    expect(await operator.dialog().getByRole('textbox').count()).toBe(0);
    expect(await operator.accessibilityFaults()).toEqual([]);
    await operator.button('Name: Change here').click();
    expect(await operator.field('Name').inputValue()).toBe('Shared name');
    await operator.page.keyboard.type('Mine');
    await operator.button('Save').click();
    await operator.notice('“Mine” is saved.');

    expect(await stored(shop)).toMatchObject({
      method_label: 'Mine',
      meta: { days: 1 },
      use_default: ['carrier_label', 'sort_order', 'meta', 'is_active'],
    });
    await operator.row('own: Name (default: Shared name)').waitFor();
    expect(operator.errors).toEqual([]);
  });

  it('become the own ones with the same value, so that a later change of the default does not count', async () => {
    const { shop, defaults, id, codes, operator } = await openInheriting();
    await operator.button('Shared name').click();
    await operator.button('Details: Change here').click();
    expect(await operator.field('Details').inputValue()).toBe('days: 1');
    await operator.button('Save').click();
    await operator.notice('is saved.');
    await defaults.update(id, { ...codes, method_label: 'Shared name', meta: { days: 9 } });

    expect((await stored(shop))?.meta).toEqual({ days: 1 });
    expect(operator.errors).toEqual([]);
  });

  it('come back, and the button says which value comes back', async () => {
    const { shop, operator } = await openInheriting({ use_default: false, sort_order: 7 });
    expect(await operator.page.locator('.methods .mark').textContent()).toBe('own values, not the default');

    await operator.button('Own name').click();
    await operator.button('Name: Use the default: Shared name').click();
    await operator.button('Place: Use the default').click();
    await operator.button('Save').click();
    await operator.notice('“Shared name” is saved.');
    expect(await stored(shop)).toMatchObject({
      method_label: 'Shared name',
      sort_order: 0,
      use_default: ['method_label', 'sort_order'],
    });
    await operator.button('Undo').click();
    await operator.notice('Undone: ');

    expect(await stored(shop)).toMatchObject({
      method_label: 'Own name',
      sort_order: 7,
      use_default: false,
    });
    expect(operator.errors).toEqual([]);
  });

  it('are marked in the list if this shop has switched the method off', async () => {
    const { operator } = await openInheriting({ use_default: true, is_active: false });

    await operator.row('own: Off (default: On)').waitFor();
    await operator.page.getByRole('combobox', { name: 'On or off' }).selectOption('With own values');
    await operator.button('Shared name').click();
    await operator.text('off here, even if the default is on').waitFor();

    expect(operator.errors).toEqual([]);
  });

  it('are marked in the list if the default is off, and the method can be offered anyway', async () => {
    const { shop, operator } = await openInheriting({ use_default: true }, { is_active: false });
    await operator.row('default is off').waitFor();
    const status = operator.page.getByRole('combobox', { name: 'On or off' });
    await status.selectOption('Off');
    await operator.text('1 of 1 method').waitFor();
    expect(await operator.page.getByRole('button', { name: 'Switch on' }).count()).toBe(0);
    await status.selectOption('All methods');

    await operator.button('Shared name').click();
    await operator.text('The default is switched off').waitFor();
    await operator.button('Name: Change here').click();
    await operator.page.getByRole('switch', { name: 'Customers can choose it' }).click();
    await operator.button('Save').click();
    await operator.notice('is saved.');

    expect(await stored(shop)).toMatchObject({
      is_active: true,
      use_default: ['carrier_label', 'sort_order', 'meta'],
    });
    await operator.row('On (default: Off)').waitFor();
    expect(operator.errors).toEqual([]);
  });

  it('are marked in the list if the default is gone, and the values can be kept', async () => {
    const { shop, defaults, id, operator } = await openInheriting();
    await defaults.remove(id);
    await operator.page.reload();
    await operator.row('default is gone').waitFor();

    await operator.button('Own name').click();
    await operator.button('Keep these values').click();
    await operator.button('Save').click();
    await operator.notice('is saved.');

    expect(await stored(shop)).toMatchObject({ method_label: 'Own name', use_default: false });
    await expect.poll(() => operator.page.locator('.methods .mark').textContent()).toBe('');
    expect(operator.errors).toEqual([]);
  });

  it('are marked without the value of the default if the own value is the same', async () => {
    const { operator } = await openInheriting({ method_label: 'Shared name', use_default: ['meta'] });

    const mark = await operator.page.locator('.methods .mark').textContent();

    expect(mark).toContain('own: ');
    expect(mark).toContain('Name, ');
    expect(operator.errors).toEqual([]);
  });

  it('have a mark at the switch that follows the switch', async () => {
    const { operator } = await openInheriting();
    const turn = operator.page.getByRole('switch', { name: 'Customers can choose it' });
    const mark = operator.page.locator('.field', { has: turn }).locator('.mark');
    await operator.button('Shared name').click();

    await turn.click();
    await expect.poll(() => mark.textContent()).toBe('off here, even if the default is on');
    await turn.click();

    await expect.poll(() => mark.textContent()).toBe('from the default');
    expect(operator.errors).toEqual([]);
  });

  it('take the position of the switch from the default, and follow the default later', async () => {
    const { shop, defaults, id, codes, operator } = await openInheriting({}, { is_active: false });
    const turn = operator.page.getByRole('switch', { name: 'Customers can choose it' });
    await operator.button('Own name').click();

    await operator.button('Customers can choose it: Use the default: Off').click();
    expect(await turn.isChecked()).toBe(false);
    await operator.button('Save').click();
    await operator.notice('is saved.');
    expect(await stored(shop)).toMatchObject({ is_active: false, own: { is_active: true } });
    await defaults.update(id, { ...codes, method_label: 'Shared name', is_active: true });

    expect(await stored(shop)).toMatchObject({ is_active: true });
    expect(operator.errors).toEqual([]);
  });

  it('become own names by a replacement, which tells how many', async () => {
    const { operator } = await openInheriting();
    await operator.page.getByRole('searchbox').fill('shared');
    await operator.button('Replace in names').click();
    await operator.fillIn({ 'Replace with': 'Our' });

    await operator.text('1 of them comes from the default, and becomes this project’s own.').waitFor();
    await operator.button('Replace').click();

    await operator.row('own: Name (default: Shared name)').waitFor();
    expect(operator.errors).toEqual([]);
  });

  it('are found by the filter for own values, and a link opens the form of the default', async () => {
    const { shop, operator } = await openInheriting({ use_default: true }, { method_label: 'The default' });
    await shop.create({ carrier_code: 'own', method_code: '1', method_label: 'Plain' });
    await operator.page.reload();
    await operator.row('Plain').waitFor();

    await operator.page.getByRole('combobox', { name: 'On or off' }).selectOption('With own values');
    await operator.text('No method matches').waitFor();
    await operator.page.getByRole('combobox', { name: 'On or off' }).selectOption('Only in this project');
    await operator.row('Plain').waitFor();
    expect(await operator.labels()).toEqual(['Plain']);
    await operator.page.getByRole('combobox', { name: 'On or off' }).selectOption('All methods');
    await operator.button('The default').click();
    await operator.page.getByRole('link', { name: 'Edit the default' }).click();
    await operator.dialog('Edit “The default”').getByText('A change here reaches every project').waitFor();

    expect(operator.page.url()).toMatch(/\?project=default$/);
    expect(operator.errors).toEqual([]);
  });

  it('become the own ones when the codes change, so that customers see the same values', async () => {
    const { shop, operator } = await openInheriting();
    await giveOtherCode(operator, 'Shared name');

    const shown = { method_label: 'Shared name', carrier_label: 'Shared carrier', meta: { days: 1 } };
    expect(await stored(shop)).toMatchObject({ ...shown, method_code: '2', use_default: false });
    await operator.button('Undo').click();
    await operator.notice('Undone');
    expect(await stored(shop)).toMatchObject({ ...shown, method_code: '1', use_default: true });
    expect(operator.errors).toEqual([]);
  });

  it('become the own ones when the codes change after their default is gone', async () => {
    const { shop, defaults, id, codes, operator } = await openInheriting();
    await defaults.create({ ...codes, method_code: '2', method_label: 'Another default', is_active: false });
    await defaults.remove(id);
    await operator.page.reload();
    await giveOtherCode(operator, 'Own name');

    expect(await stored(shop)).toMatchObject({
      method_label: 'Own name',
      is_active: true,
      use_default: false,
    });
    expect(operator.errors).toEqual([]);
  });

  it('keep a change of another user to the sharing when both changes are merged', async () => {
    const { shop, codes, operator } = await openInheriting();
    const before = await stored(shop);
    await operator.button('Shared name').click();
    await operator.button('Name: Change here').click();
    await operator.field('Name').fill('Mine');
    await shop.update(before?.id ?? '', { ...codes, method_label: 'Shared name', meta: { days: 2 } });

    await operator.button('Save').click();
    await operator.alert('Somebody changed this method while you edited it.');
    await operator.button('Keep my changes').click();
    await operator.notice('“Mine” is saved.');

    expect(await stored(shop)).toMatchObject({
      method_label: 'Mine',
      meta: { days: 2 },
      use_default: ['carrier_label', 'sort_order', 'is_active'],
    });
    expect(operator.errors).toEqual([]);
  });
});
