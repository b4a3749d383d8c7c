import { type Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { engine } from '../support/database.js';
import { isInstalled, type Operator, pageInBrowser, place } from './page-in-browser.js';

describe.skipIf(!isInstalled)(`the page in an outage${place}`, () => {
  const page = pageInBrowser();

  it('says that the database is down, and recovers by itself', async () => {
    const { shop, operator } = await page.openShop();
    const { manager } = page.host.database.dataSource;
    await operator.page.clock.install();
    page.host.app.useLogger(false);
    const recover = await engine.intercept(manager, () => Promise.reject(engine.brokenConnection()));

    await operator.toggle('UPS Ground').click();
    await operator.notice('This was not saved.');
    await operator.alert('The server or its database is busy or cannot be reached.');
    expect(await operator.labels()).toHaveLength(4);
    expect(await operator.toggle('UPS Ground').isChecked()).toBe(true);
    await recover();
    await operator.page.clock.runFor(3_000);
    await operator.page.getByRole('alert').waitFor({ state: 'detached' });

    await operator.toggle('UPS Ground').click();
    await operator.notice('“UPS Ground” is off');
    expect((await shop.list('filter[is_active]=false')).body.meta.total).toBe(1);
    expect(operator.errors).toEqual([]);
  });

  it('does not say that nothing was saved, if only the response was lost', async () => {
    const { shop, operator } = await page.openShop();
    await operator.page.route('**/methods/*', async (route) => {
      await route.fetch();
      await route.abort();
    });

    await operator.toggle('UPS Ground').click();
    await operator.notice('The change may not have been saved.');

    expect(await operator.page.getByRole('status').textContent()).not.toContain('not saved');
    expect((await shop.list('filter[is_active]=false')).body.meta.total).toBe(1);
    expect(operator.errors).toEqual([]);
  });

  it('says that nothing was saved, if there were too many requests', async () => {
    const { operator } = await page.openShop();
    await operator.page.route('**/methods/*', (route) => route.fulfill({ status: 429 }));

    await operator.toggle('UPS Ground').click();
    await operator.notice('This was not saved.');
    expect(operator.errors).toEqual([]);
  });

  it('does not take the page of a gateway for a success', async () => {
    const { operator } = await page.openShop();
    const gateway = { contentType: 'text/html', body: '<h1>Sign in</h1>' };
    await operator.page.route('**/methods/*', (route) =>
      route.request().method() === 'GET' ? route.continue() : route.fulfill(gateway),
    );
    const unknown = 'The server responded in a form that this page does not know.';
    const closed = async (): Promise<void> => {
      await operator.notice(`${unknown} The change may not have been saved. Check the list.`);
      await operator.page.getByRole('status').getByRole('button', { name: 'Close' }).click();
    };

    await operator.toggle('UPS Ground').click();
    await closed();
    await operator.remove('UPS Ground');
    await closed();
    await operator.button('UPS Ground').click();
    await operator.field('Name').fill('Ground');
    await operator.button('Save').click();
    await operator.alert(unknown);
    await operator.alert('Your input is still here: save again when the server responds.');

    expect(operator.errors).toEqual([]);
  });

  it('shows the list as it is now, when nobody knows whether the form was saved', async () => {
    const { operator } = await page.openShop();
    await operator.page.route('**/methods/*', async (route) => {
      if (route.request().method() === 'GET') return route.continue();
      await route.fetch();
      await route.fulfill({ status: 502, body: 'Bad gateway' });
    });
    await operator.button('UPS Ground').click();
    await operator.field('Name').fill('Renamed');

    await operator.button('Save').click();
    await operator.text('Perhaps it was saved.').waitFor();
    await operator.button('Cancel').click();

    await operator.row('Renamed').waitFor();
    expect(operator.errors).toEqual([]);
  });

  const addWithLostResponse = async (operator: Operator): Promise<void> => {
    await operator.page.route(
      '**/methods',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await operator.button('Add a method').click();
    await operator.fillIn({ 'Carrier code': 'gls', 'Method code': '1', Name: 'GLS Parcel' });
    await operator.button('Save').click();
    await operator.text('Perhaps it was saved.').waitFor();
  };

  it('takes a new method that is saved again for the one that it has saved before', async () => {
    const { shop, operator } = await page.openShop();
    await addWithLostResponse(operator);
    await operator.page.route('**/methods', (route) => route.fulfill({ status: 429 }), { times: 1 });
    await operator.button('Save').click();
    await operator.alert('The server responded with the status 429.');

    await operator.button('Save').click();
    await operator.notice('“GLS Parcel” is saved.');
    await operator.button('Undo').click();
    await operator.notice('Undone: the method is removed again.');

    expect((await shop.list()).body.meta.total).toBe(4);
    expect(operator.errors).toEqual([]);
  });

  it('does not take a new method for the one that it has saved before, if the user has changed it since', async () => {
    const { operator } = await page.openShop();
    await addWithLostResponse(operator);

    await operator.field('Name').fill('GLS');
    await operator.button('Save').click();
    await operator.alert('Another method of this project has these two codes.');
    expect(operator.errors).toEqual([]);
  });

  it('says that a change of several methods has stopped, and takes back what was saved', async () => {
    const { shop, operator } = await page.openShop();
    const changed: string[] = [];
    await operator.page.route('**/methods/*', async (route) => {
      const isChange = route.request().method() === 'PATCH';
      if (isChange) changed.push(route.request().url());
      await (isChange && changed.length === 2 ? route.fulfill({ status: 409 }) : route.continue());
    });
    const inactive = async (): Promise<number> =>
      (await shop.list('filter[is_active]=false')).body.meta.total;

    await operator.page.getByRole('combobox', { name: 'Carrier' }).selectOption('UPS');
    await operator.button('Switch off 3').click();
    await operator.notice('Saving stopped: 1 of 3 are saved. The server responded with the status 409.');
    expect(await inactive()).toBe(1);
    await operator.button('Undo').click();
    await operator.notice('Undone: ');

    expect(await inactive()).toBe(0);
    expect(operator.errors).toEqual([]);
  });

  it.each<[string, (route: Route) => Promise<void>]>([
    ['is down', (route) => route.fulfill({ status: 503 })],
    ['has had too many requests', (route) => route.fulfill({ status: 429 })],
  ])('shows what was saved although the list cannot be read, because the server %s', async (_why, fail) => {
    const { shop, operator } = await page.openShop();
    await operator.page.clock.install();
    await operator.page.route('**/tree', fail);

    await operator.toggle('UPS Ground').click();
    await operator.alert('This page tries again every few seconds.');
    expect(await operator.toggle('UPS Ground').isChecked()).toBe(false);
    await operator.toggle('UPS Ground').click();
    await operator.notice('“UPS Ground” is on');
    for (const [label, name] of [
      ['UPS Ground', 'Renamed'],
      ['Renamed', 'Renamed again'],
    ] as const) {
      await operator.button(label).click();
      await operator.field('Name').fill(name);
      await operator.button('Save').click();
      await operator.notice(`“${name}” is saved.`);
    }
    await operator.page.unroute('**/tree', fail);
    await operator.page.clock.runFor(3_000);
    await operator.page.getByRole('alert').waitFor({ state: 'detached' });

    expect((await shop.list('q=renamed again')).body.data).toMatchObject([{ is_active: true, version: 5 }]);
    expect(operator.errors).toEqual([]);
  });

  it('reads the list again, if it has come only in part', async () => {
    const { operator } = await page.openShop();
    await operator.page.clock.install();
    await operator.page.evaluate(
      'const { text } = Response.prototype; Response.prototype.text = () => { Response.prototype.text = text; return Promise.reject(new TypeError()); }; document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))',
    );
    await operator.alert('The server did not respond.');

    await operator.page.clock.runFor(3_000);
    await operator.page.getByRole('alert').waitFor({ state: 'detached' });

    expect(operator.errors).toEqual([]);
  });

  it('offers Undo again after it could not be sent', async () => {
    const { shop, operator } = await page.openShop();
    await operator.remove('UPS Ground');
    await operator.notice('“UPS Ground” is removed.');
    await operator.page.context().setOffline(true);
    await operator.button('Undo').click();
    await operator.notice('The server did not respond.');
    await operator.page.context().setOffline(false);

    await operator.button('Undo').click();
    await operator.notice('Undone: “UPS Ground” is as before.');

    expect((await shop.list()).body.meta.total).toBe(4);
    expect(operator.errors).toEqual([]);
  });

  it('says that the server does not respond, and recovers by itself', async () => {
    const { operator } = await page.openShop();
    await operator.page.clock.install();
    await operator.page.context().setOffline(true);
    await operator.toggle('UPS Ground').click();
    await operator.alert('The server did not respond.');

    await operator.page.context().setOffline(false);
    await operator.page.clock.runFor(3_000);
    await operator.page.getByRole('alert').waitFor({ state: 'detached' });

    expect(await operator.toggle('UPS Ground').isChecked()).toBe(true);
    expect(operator.errors).toEqual([]);
  });
});
