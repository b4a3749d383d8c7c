import { describe, expect, it } from 'vitest';
import { engine } from '../support/database.js';
import { isInstalled, pageInBrowser, place } from './page-in-browser.js';

describe.skipIf(!isInstalled)(`the page in an outage${place}`, () => {
  const page = pageInBrowser();

  it('says that the database is down, and recovers by itself', async () => {
    const { shop, operator } = await page.openShop();
    const { manager } = page.host.database.dataSource;
    page.host.app.useLogger(false);
    const recover = await engine.intercept(manager, () => Promise.reject(engine.brokenConnection()));

    await operator.toggle('UPS Ground').click();
    await operator.notice('This was not saved.');
    await operator.alert('The server cannot reach its database.');
    expect(await operator.labels()).toHaveLength(4);
    expect(await operator.toggle('UPS Ground').isChecked()).toBe(true);
    await recover();
    await operator.page.getByRole('alert').waitFor({ state: 'detached' });

    await operator.toggle('UPS Ground').click();
    await operator.notice('“UPS Ground” is now inactive');
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
    await operator.notice('Nobody knows whether this was saved.');

    expect(await operator.page.getByRole('status').textContent()).not.toContain('not saved');
    expect((await shop.list('filter[is_active]=false')).body.meta.total).toBe(1);
    expect(operator.errors).toEqual([]);
  });

  it.each(['the switch', 'the form', 'the removal'])(
    'does not take the page of a gateway for a success: %s',
    async (control) => {
      const { operator } = await page.openShop();
      const gateway = { contentType: 'text/html', body: '<h1>Sign in</h1>' };
      await operator.page.route('**/methods/*', (route) =>
        route.request().method() === 'GET' ? route.continue() : route.fulfill(gateway),
      );

      if (control === 'the switch') await operator.toggle('UPS Ground').click();
      else await operator.button(control === 'the form' ? 'Edit UPS Ground' : 'Remove UPS Ground').click();
      if (control !== 'the switch')
        await operator
          .dialog()
          .getByRole('button', { name: control === 'the form' ? 'Save' : 'Remove', exact: true })
          .click();

      await operator.text('The server responded in a form that this page does not know.').first().waitFor();
      expect(operator.errors).toEqual([]);
    },
  );

  it('shows the list as it is now, when nobody knows whether the form was saved', async () => {
    const { operator } = await page.openShop();
    await operator.page.route('**/methods/*', async (route) => {
      if (route.request().method() === 'GET') return route.continue();
      await route.fetch();
      await route.fulfill({ status: 502, body: 'Bad gateway' });
    });
    await operator.button('Edit UPS Ground').click();
    await operator.field('Method label').fill('Renamed');

    await operator.button('Save').click();
    await operator.text('Nobody knows whether this was saved.').waitFor();
    await operator.button('Cancel').click();

    await operator.row('Renamed').waitFor();
    expect(operator.errors).toEqual([]);
  });

  it('says that a move has stopped, and not that nothing was saved', async () => {
    const { shop, operator } = await page.openShop();
    let isFirst = true;
    await operator.page.route('**/methods/*', async (route) => {
      await (isFirst ? route.continue() : route.fulfill({ status: 401 }));
      isFirst = false;
    });

    await operator.handle('UPS Express').press('Home');
    await operator.notice('Saving stopped, and nothing more was saved.');

    expect((await shop.list('filter[version]=2')).body.meta.total).toBe(1);
    expect(operator.errors).toEqual([]);
  });

  it('says that the server does not respond, and recovers by itself', async () => {
    const { operator } = await page.openShop();
    await operator.page.context().setOffline(true);
    await operator.page.getByRole('searchbox').fill('ground');
    await operator.alert('The server does not respond.');

    await operator.page.context().setOffline(false);
    await operator.row('UPS Express').waitFor({ state: 'detached' });

    expect(await operator.labels()).toEqual(['UPS Ground']);
    expect(operator.errors).toEqual([]);
  });
});
