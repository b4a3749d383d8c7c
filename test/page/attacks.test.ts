import { describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { isInstalled, pageInBrowser, place } from './page-in-browser.js';

describe.skipIf(!isInstalled)(`the page under attack${place}`, () => {
  const page = pageInBrowser();

  it('shows texts as they were typed, even markup and names of JavaScript', async () => {
    const shop = new Client(page.origin, freshProject());
    const method_label = '<img src="x" alt="run"> & co';
    const meta = { by: 'constructor', others: ['toString', true, null] };
    await shop.create({ carrier_code: 'ups', method_code: '03', method_label, meta });

    const operator = await page.open(shop.project);
    await operator.row('& co').waitFor();

    const cells = await operator.row('& co').getByRole('cell').allTextContents();
    expect(cells[1]).toContain(method_label);
    expect(cells[2]).toBe('by constructorothers toString, yes, –');
    expect(await operator.page.getByAltText('run').count()).toBe(0);
    expect(operator.faults).toEqual([]);
  });
});
