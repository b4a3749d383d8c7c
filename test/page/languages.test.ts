import { pageTexts } from 'nestjs-shipping/page';
import { describe, expect, it } from 'vitest';
import { isInstalled, pageInBrowser, place } from './page-in-browser.js';

it.each(Object.entries(pageTexts))('each text has the values of the English text: %s', (_language, texts) => {
  const valuesOf = (table: Record<string, string>) =>
    Object.entries(table).map(([name, text]) => [
      name,
      [...text.matchAll(/\{\w+\}/g)].map(String).toSorted(),
    ]);
  const [values, english] = [valuesOf(texts), valuesOf(pageTexts.en)].map((all) =>
    // The German texts of these violations do not repeat the detail of the API, which is in English.
    all.filter(([name]) => !/^violation_(type|length|range)$/.test(String(name))),
  );

  expect(values).toEqual(english);
});

describe.skipIf(!isInstalled)(`the language of the page${place}`, () => {
  const page = pageInBrowser({
    page: {
      texts: {
        en: { title: 'Delivery' },
        de: { title: 'Zustellung' },
        fr: { title: 'Livraison <b>', methods: 'Modes de livraison' },
        ar: { is_inactive_now: '«{label}» متوقفة.' },
      },
    },
  });

  it.each([
    ['de-AT', 'de-AT', 'Zustellung', 'Versandarten'],
    ['fr-FR', 'fr-FR', 'Livraison <b>', 'Modes de livraison'],
    ['en-GB', 'en-GB', 'Delivery', 'Shipping methods'],
    ['ja-JP', 'en', 'Delivery', 'Shipping methods'],
    // Chromium has it with LANG=C.
    ['en-US@posix', 'en', 'Delivery', 'Shipping methods'],
  ])('is the language of the user, or English: %s', async (locale, lang, title, methods) => {
    const operator = await page.open('acme', { locale });
    await operator.page.getByRole('heading', { name: methods, exact: true }).waitFor();

    expect(await operator.page.title()).toBe(`acme – ${title}`);
    expect(await operator.page.locator('h1').textContent()).toBe(title);
    expect(await operator.page.locator('html').getAttribute('lang')).toBe(lang);
    expect(operator.errors).toEqual([]);
  });

  it('is laid out from right to left in Arabic, and names keep their own direction', async () => {
    const { operator } = await page.openShop({ locale: 'ar-EG' });
    const row = operator.row('UPS Ground');
    const turn = row.getByRole('switch');
    const [handle, toggle] = await Promise.all([row.locator('.handle').boundingBox(), turn.boundingBox()]);
    expect(handle?.x).toBeGreaterThan(toggle?.x ?? 0);

    await turn.click();
    await operator.notice('«\u2068UPS Ground\u2069» متوقفة.');

    expect(await row.getByText('UPS Ground').getAttribute('dir')).toBe('auto');
    // A text that is left out is English, in an isolate of its direction.
    expect(await operator.page.locator('#methods').textContent()).toBe('\u2066Shipping methods\u2069');
    expect(operator.errors).toEqual([]);
  });

  it.each(['de-DE', 'ar-EG'])('fits into 320 px, with a method in the upper third: %s', async (locale) => {
    const { shop, operator } = await page.openShop({ locale, viewport: { width: 320, height: 800 } });
    const first = await operator.row('UPS Ground').boundingBox();
    expect(first?.y).toBeLessThan(800 / 3);
    await shop.create({
      carrier_code: 'dpd',
      method_code: 'x'.repeat(128),
      method_label: 'Selbstabholungsannahmestellenverzeichnis',
    });
    await operator.page.goto(`${operator.page.url()}&order=${'x'.repeat(64)}`);
    await operator.row('Selbstabholung').waitFor();
    expect(await operator.overflow()).toBeLessThanOrEqual(0);
    await operator.row('Selbstabholung').getByRole('button').last().click();
    await operator.dialog().waitFor();

    const article = 'document.querySelector("dialog article")';
    expect(await operator.page.evaluate(`${article}.scrollWidth - ${article}.clientWidth`)).toBe(0);
    expect(operator.errors).toEqual([]);
  });

  it('is German in the form, in its errors and in its notices', async () => {
    const operator = await page.open('acme', { locale: 'de-DE' });
    await operator.button('Neue Versandart').click();
    await operator.fillIn({ 'Code des Versanddienstes': 'ups', 'Name des Versanddienstes': 'x'.repeat(256) });
    await operator.button('Speichern').click();

    await operator.text('Name fehlt.').waitFor();

    expect(await operator.errorAt('Name des Versanddienstes')).toBe('Erlaubt sind höchstens 255 Zeichen.');
    expect(await operator.errorAt('Name')).toBe('Name fehlt.');
    expect(await operator.accessibilityFaults()).toEqual([]);
    expect(operator.errors).toEqual([]);
  });

  it('leaves Escape and the arrow down to the input method while it composes a word', async () => {
    const { operator } = await page.openShop();
    const { page: tab } = operator;
    const questions: string[] = [];
    tab.on('dialog', (dialog) => {
      questions.push(dialog.message());
      void dialog.dismiss();
    });
    const browser = await tab.context().newCDPSession(tab);
    const compose = async (text: string, key: string): Promise<void> => {
      await browser.send('Input.imeSetComposition', { text, selectionStart: 0, selectionEnd: text.length });
      // 229 is the number of each key that an input method takes.
      const code = { code: key, windowsVirtualKeyCode: 229 };
      await browser.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key, ...code });
    };

    await tab.getByRole('searchbox').focus();
    await compose('ups', 'ArrowDown');
    expect(await tab.getByRole('searchbox').inputValue()).toBe('ups');
    expect(await tab.evaluate('document.activeElement.type')).toBe('search');

    await operator.button('UPS Ground').click();
    await operator.field('Name').focus();
    await compose('にほん', 'Escape');
    expect(await operator.dialog().count()).toBe(1);
    expect(questions).toEqual([]);
  });

  it.each([
    ['Arabic', 'ئ', 'KeyZ'],
    ['German', 'z', 'KeyY'],
  ])('takes a change back by Ctrl+Z on a keyboard with another layout: %s', async (_layout, key, code) => {
    const { operator } = await page.openShop();
    await operator.remove('DHL Worldwide');
    await operator.notice('“DHL Worldwide” is removed.');
    // A browser that fills in a field sends such an event.
    await operator.page.evaluate("document.body.dispatchEvent(new Event('keydown', { bubbles: true }))");

    const browser = await operator.page.context().newCDPSession(operator.page);
    await browser.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key, code, modifiers: 2 });

    await operator.row('DHL Worldwide').waitFor();
    expect(operator.errors).toEqual([]);
  });
});
