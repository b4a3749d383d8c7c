import { type CanActivate, type ExecutionContext, UseGuards } from '@nestjs/common';
import { ShippingMethodsService, toUpsertRequest } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { isInstalled, pageInBrowser, place } from './page-in-browser.js';

/** Lets nobody read the defaults project. */
class OwnProjectGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return !context.switchToHttp().getRequest<{ url: string }>().url.includes('/default/');
  }
}

const defaults = [
  { carrier_code: 'gls', carrier_label: 'GLS', method_code: '1', method_label: 'GLS Parcel', sort_order: 1 },
  { carrier_code: 'gls', carrier_label: 'GLS', method_code: '2', method_label: 'GLS Express', sort_order: 2 },
  { carrier_code: 'dpd', method_code: '1', method_label: 'DPD Pickup', sort_order: 3, is_active: false },
];

describe.skipIf(!isInstalled)(`the defaults on the page${place}`, () => {
  const page = pageInBrowser();
  const methods = () => page.host.app.get(ShippingMethodsService);

  it('are adopted by a new project, as the service does it, and Undo removes them again', async () => {
    await methods().upsertMany('default', defaults);
    const operator = await page.open(freshProject());
    const project = new URL(operator.page.url()).searchParams.get('project') ?? '';
    await operator.text('Start with the defaults: + GLS Parcel + GLS Express + DPD Pickup').waitFor();
    expect(await operator.accessibilityFaults()).toEqual([]);

    await operator.button('Adopt all 3').dblclick();
    await operator.notice('3 methods are added. They follow the defaults.');
    await operator.text('Start with the defaults').waitFor({ state: 'detached' });
    expect(await operator.page.evaluate('document.activeElement.textContent')).toBe('GLS Parcel');

    const byService = freshProject();
    await methods().adoptDefaults(byService);
    const [adopted = [], expected = []] = await Promise.all(
      [project, byService].map((each) => methods().findAll(each)),
    );
    expect(adopted.map(toUpsertRequest)).toEqual(expected.map(toUpsertRequest));
    expect(await operator.page.locator('.methods .mark').allTextContents()).toEqual([
      '',
      '',
      'default is off',
    ]);
    await operator.button('Undo').click();
    await operator.notice('Undone: the 3 methods are removed again.');
    expect(await methods().findAll(project)).toEqual([]);
    expect(operator.errors).toEqual([]);
  });

  it('are adopted one by one', async () => {
    await methods().upsertMany('default', defaults);
    const operator = await page.open(freshProject());

    await operator.button('+ GLS Express').click();
    await operator.notice('1 method is added. It follows the default.');
    await operator.text('2 defaults are not here').waitFor();
    await operator.button('+ DPD Pickup').click();
    await operator.text('1 default is not here: GLS Parcel').waitFor();
    await expect.poll(() => operator.page.evaluate('document.activeElement.textContent')).toBe('Adopt');
    await operator.button('Adopt').click();
    await operator.row('GLS Parcel').waitFor();

    expect(await operator.labels()).toEqual(['GLS Parcel', 'GLS Express', 'DPD Pickup']);
    expect(operator.errors).toEqual([]);
  });

  it('say in their own project that a change reaches every shop', async () => {
    await methods().upsertMany('default', defaults);
    const operator = await page.open('default');

    await operator.text('A change here reaches every project that uses them.').waitFor();
    await operator.button('GLS Parcel').click();
    await operator.dialog().getByText('A change here reaches every project').waitFor();
    await operator.button('Remove method').click();
    await operator.text('switch it off instead').waitFor();
    await operator.button('Cancel').click();
    await operator.toggle('GLS Parcel').click();
    await operator.notice('“GLS Parcel” is saved.');
    await operator.button('GLS Parcel').click();
    await operator.button('Remove method').click();
    await operator.text('Customers of some projects may be able to choose it again.').waitFor();

    expect(await operator.page.getByRole('button', { name: 'Adopt' }).count()).toBe(0);
    expect(operator.errors).toEqual([]);
  });
});

describe.skipIf(!isInstalled)(`the page of a user who may not read the defaults${place}`, () => {
  const page = pageInBrowser({ mounts: [{ http: { decorators: [UseGuards(OwnProjectGuard)] } }] });

  it('offers nothing to adopt, and an own field can be shared again', async () => {
    const shop = new Client(page.origin, freshProject());
    const methods = page.host.app.get(ShippingMethodsService);
    const codes = { carrier_code: 'gls', method_code: '1' };
    await methods.create('default', { ...codes, method_label: 'Shared', meta: { days: 1 } });
    await shop.create({ ...codes, method_label: 'Mine', use_default: ['carrier_label', 'is_active'] });
    const asked: string[] = [];
    const operator = await page.open('none');
    operator.page.on('request', (request) => asked.push(request.url()));
    await operator.page.goto(`${page.origin}/shipping?project=${shop.project}`);
    await operator.row('own: ').waitFor();

    await operator.button('Mine').click();
    await operator.button('Name: Use the default').click();
    await operator.button('Details: Use the default').click();
    await operator.button('Save').click();
    await operator.notice('“Shared” is saved.');

    expect((await shop.list()).body.data).toMatchObject([
      { meta: { days: 1 }, use_default: ['carrier_label', 'method_label', 'meta', 'is_active'] },
    ]);
    expect(await operator.page.getByRole('button', { name: 'Adopt' }).count()).toBe(0);
    expect(asked.filter((url) => url.includes('/default/'))).toHaveLength(1);
    // Nobody knows which methods have a default.
    await operator.page.goto(`${page.origin}/shipping?project=${shop.project}&status=only`);
    await operator.text('No method matches').waitFor();
    expect(operator.errors).toEqual([]);
  });
});
