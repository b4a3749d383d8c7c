import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { OrderEventsService, ShippingMethodsService } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { isInstalled, pageInBrowser, place } from './page-in-browser.js';

/** A folder for pictures of each test, if somebody wants to look at them. */
const pictures = process.env['SCREENSHOTS'];
if (pictures) mkdirSync(pictures, { recursive: true });

const widths = [320, 360, 800, 1400];
const schemes = ['light', 'dark'] as const;
const looks = schemes.flatMap((scheme) => widths.map((width) => [scheme, width] as const));

describe.skipIf(!isInstalled)(`the look of the page${place}`, () => {
  const page = pageInBrowser();

  it.each(looks)(
    'has no accessibility violation and no sideways scrolling: %s, %i px',
    async (colorScheme, width) => {
      const { shop, operator } = await page.openShop({ colorScheme, viewport: { width, height: 800 } });
      const picture = (name: string): Promise<unknown> =>
        pictures
          ? operator.page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`) })
          : Promise.resolve();
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

      expect(await operator.accessibilityFaults()).toEqual([]);
      expect(await operator.overflow()).toBeLessThanOrEqual(0);
      await picture('page');
      await operator.button('From the defaults').click();
      await operator.button('Name: Change here').click();
      await operator.field('Name').fill('');
      await operator.button('Save').click();
      await operator.alert('Some fields need your attention.');
      await operator.button('Save').hover();
      expect(await operator.accessibilityFaults()).toEqual([]);
      await picture('form');
      await operator.button('Cancel').click();
      await operator.button('UPS Ground').click();
      await operator.button('Remove method').click();
      await operator.dialog('Remove “UPS Ground”?').waitFor();
      expect(await operator.accessibilityFaults()).toEqual([]);
      await picture('removal');
      expect(operator.errors).toEqual([]);
    },
  );
});
