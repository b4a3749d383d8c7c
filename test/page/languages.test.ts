import { pageTexts } from 'nestjs-shipping/page';
import { describe, expect, it } from 'vitest';
import { isInstalled, pageInBrowser, place } from './page-in-browser.js';

it('each text has the same values in every language', () => {
  const valuesOf = (texts: Record<string, string>) =>
    Object.entries(texts).map(([name, text]) => [
      name,
      [...text.matchAll(/\{\w+\}/g)].map(String).toSorted(),
    ]);
  const { en, de } = pageTexts;
  const [english, german] = [valuesOf(en), valuesOf(de)].map((values) =>
    // The German texts of these violations do not repeat the detail of the API, which is in English.
    values.filter(([name]) => !/^violation_(type|length|range)$/.test(String(name))),
  );

  expect(german).toEqual(english);
});

describe.skipIf(!isInstalled)(`the language of the page${place}`, () => {
  const page = pageInBrowser({
    page: {
      texts: {
        en: { title: 'Delivery' },
        de: { title: 'Zustellung' },
        fr: { title: 'Livraison <b>', methods: 'Modes de livraison' },
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

    expect(await operator.page.title()).toBe(title);
    expect(await operator.page.locator('h1').textContent()).toBe(title);
    expect(await operator.page.locator('html').getAttribute('lang')).toBe(lang);
    expect(operator.errors).toEqual([]);
  });

  it('is German in the form, in its errors and in its notices', async () => {
    const operator = await page.open('acme', { locale: 'de-DE' });
    await operator.button('Neue Versandart').click();
    await operator.fillIn({ 'Code des Versanddienstes': 'ups', 'Name des Versanddienstes': 'x'.repeat(256) });
    await operator.button('Speichern').click();

    await operator.alert('Bitte prüfen Sie einige Felder.');

    expect(await operator.errorAt('Name des Versanddienstes')).toBe(
      'Das sind zu viele oder zu wenige Zeichen.',
    );
    expect(await operator.errorAt('Name')).toBe('Name fehlt.');
    expect(await operator.accessibilityFaults()).toEqual([]);
    expect(operator.errors).toEqual([]);
  });
});
