import { OrderEventsService, ShippingMethodsService } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { isInstalled, pageInBrowser, place } from './page-in-browser.js';

/**
 * Returns the contrast of what axe does not test: the edges of inputs, the switches and the ring of the focus, each to
 * what is around it.
 */
const contrasts = `(() => {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const luminance = (color) => {
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const parts = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255);
    const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (...colors) => {
    const [light, dark] = colors.map(luminance).toSorted((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const around = getComputedStyle(document.querySelector('section:has(.methods)')).backgroundColor;
  const style = (selector) => getComputedStyle(document.querySelector(selector));
  return {
    search: contrast(style('[type=search]').borderTopColor, around),
    select: contrast(style('search select').borderTopColor, around),
    on: contrast(style('.methods [role=switch]:checked').backgroundColor, around),
    off: contrast(style('.methods [role=switch]:not(:checked)').backgroundColor, around),
    ring: contrast(getComputedStyle(document.activeElement).outlineColor, around),
  };
})()`;

/** Returns the controls that are smaller than 24 px in one direction. */
const smallTargets = `[...document.querySelectorAll('button, input, select')]
  .filter((target) => target.checkVisibility())
  .map((target) => [target, target.getBoundingClientRect()])
  .filter(([, { width, height }]) => Math.min(width, height) < 24)
  .map(([{ outerHTML }, { width, height }]) => outerHTML + ' ' + width + ' ' + height)`;

const topOfHeaderAfterScrolling = `(() => {
  scrollTo(0, document.body.scrollHeight);
  return document.querySelector('header').getBoundingClientRect().top;
})()`;

describe.skipIf(!isInstalled)(`the look of the page${place}`, () => {
  const page = pageInBrowser();

  // The contrast depends on the colours, and what fits depends on the width. So each width is measured once.
  it.each([
    ['light', [360, 800]],
    ['dark', [320, 1400]],
  ] as const)(
    'has no accessibility violation, no sideways scrolling, and a header that stays: %s, %j px',
    async (colorScheme, widths) => {
      const { shop, operator } = await page.openShop({ colorScheme });
      const [methods, events] = [
        page.host.app.get(ShippingMethodsService),
        page.host.app.get(OrderEventsService),
      ];
      const codes = { carrier_code: 'ups', method_code: shop.project, method_label: 'From the defaults' };
      await methods.create('default', { ...codes, meta: { days: 3, signature: true } });
      await methods.create(shop.project, { ...codes, sort_order: 3, use_default: true, is_active: false });
      const long = { method_label: 'x'.repeat(255), meta: { address: 'y'.repeat(255) } };
      await methods.create(shop.project, { carrier_code: 'ups', method_code: 'long', ...long });
      const data = { total: '84.90', lines: 2, address: 'y'.repeat(255) };
      await events.record({ projectId: shop.project, orderId: '1001' }, { type: 'order.placed', data });
      await operator.page.goto(`${page.origin}/shipping?project=${shop.project}&order=1001`);
      await operator.events().first().waitFor();
      await operator.row('From the defaults').waitFor();

      const article = 'document.querySelector("dialog article")';
      for (const width of widths) {
        await operator.page.setViewportSize({ width, height: 800 });
        expect([width, await operator.overflow()]).toEqual([width, 0]);
        expect(await operator.page.evaluate(smallTargets)).toEqual([]);
        expect(await operator.page.evaluate(topOfHeaderAfterScrolling)).toBe(0);
        await operator.button(long.method_label).click();
        expect(await operator.page.evaluate(`${article}.scrollWidth - ${article}.clientWidth`)).toBe(0);
        await operator.button('Cancel').click();
      }
      expect(await operator.accessibilityFaults()).toEqual([]);
      await operator.toggle('UPS 2nd Day Air').focus();
      await operator.page.keyboard.press('Tab');
      const measured = await operator.page.evaluate<Record<string, number>>(contrasts);
      expect(Object.entries(measured).filter(([, contrast]) => contrast < 3)).toEqual([]);

      await operator.button('From the defaults').click();
      await operator.button('Name: Change here').click();
      await operator.field('Name').fill('');
      await operator.button('Save').click();
      await operator.text('Name is required.').waitFor();
      await operator.button('Save').hover();
      expect(await operator.accessibilityFaults()).toEqual([]);
      expect(await operator.page.evaluate(smallTargets)).toEqual([]);
      operator.page.once('dialog', (question) => void question.accept());
      await operator.button('Remove method').click();
      await operator.dialog('Remove “From the defaults”?').waitFor();
      expect(await operator.accessibilityFaults()).toEqual([]);
      expect(operator.errors).toEqual([]);
    },
  );

  it('has the switch beside the name on a touch screen, and two lines above a filtered list in German', async () => {
    const viewport = { width: 360, height: 800 };
    const { operator } = await page.openShop({ viewport, hasTouch: true, isMobile: true, locale: 'de-DE' });
    await operator.page.getByRole('searchbox').fill('ups');
    await operator.text('3 von 4 Versandarten').waitFor();

    const middles = await operator.page.evaluate<number[]>(
      '[".name", "[role=switch]"].map((each) => document.querySelector(".methods " + each).getBoundingClientRect()).map(({ top, bottom }) => (top + bottom) / 2)',
    );
    const bar = await operator.page.locator('.count').boundingBox();

    expect(Math.abs((middles[0] ?? 0) - (middles[1] ?? 99))).toBeLessThan(2);
    expect(bar?.height).toBeLessThan(96);
    expect(operator.errors).toEqual([]);
  });
});
