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
    expect(operator.faults).toEqual([]);
  });

  it('says that the server does not respond, and recovers by itself', async () => {
    const { operator } = await page.openShop();
    await operator.page.context().setOffline(true);
    await operator.page.getByRole('searchbox').fill('ground');
    await operator.alert('The server does not respond.');

    await operator.page.context().setOffline(false);
    await operator.row('UPS Express').waitFor({ state: 'detached' });

    expect(await operator.labels()).toEqual(['UPS Ground']);
    expect(operator.faults).toEqual([]);
  });
});
