import {
  type ArgumentsHost,
  type CallHandler,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  HttpCode,
  HttpException,
  type NestInterceptor,
} from '@nestjs/common';
import { ShippingMethodsService } from 'nestjs-shipping';
import { map, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { EnvelopeInterceptor } from '../guide/envelope.js';
import { fourMethods, isInstalled, pageInBrowser, place } from './page-in-browser.js';

/** Puts each value into another value. */
class Envelope implements NestInterceptor {
  wrap = (value: unknown): unknown => value;

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((value: unknown) => this.wrap(value)));
  }
}

/** This filter sends every error in a form of its own. */
@Catch(HttpException)
class CatchAll implements ExceptionFilter {
  message: unknown = 'No.';

  catch(error: HttpException, host: ArgumentsHost): void {
    const response = host
      .switchToHttp()
      .getResponse<{ status(code: number): { json(body: unknown): void } }>();
    response.status(error.getStatus()).json({ success: false, errors: 'none', message: this.message });
  }
}

describe.skipIf(!isInstalled)(`the page on responses in an envelope${place}`, () => {
  const envelope = new Envelope();
  const page = pageInBrowser({ configure: (app) => app.useGlobalInterceptors(envelope) });

  it.each<[string, (value: unknown) => unknown]>([
    ['{ ok, data }', (data) => ({ ok: true, data })],
    ['{ id, data }', (data) => ({ id: 'of the request', data })],
    ['{ etag, data }', (data) => ({ etag: 'of the response', data })],
    ['{ success, result, error }', (result) => ({ success: true, result, error: null })],
  ])('reads and changes methods in %s', async (_form, wrap) => {
    envelope.wrap = wrap;
    const { shop, operator } = await page.openShop();

    await operator.toggle('UPS Ground').click();
    await operator.notice('“UPS Ground” is off');
    await operator.button('Undo').click();
    await operator.notice('Undone: “UPS Ground” is as before.');
    await operator.page.goto(`${page.origin}/shipping?project=${shop.project}&order=1`);
    await operator.text('Order 1 has no events.').waitFor();

    expect(operator.errors).toEqual([]);
  });

  it('says that it does not know another form', async () => {
    envelope.wrap = (value) => ({ response: { value } });
    const operator = await page.open('acme&order=1');

    await operator.page.getByRole('alert').nth(1).waitFor();

    const form = 'The server responded in a form that this page does not know.';
    expect(await operator.page.getByRole('alert').allTextContents()).toEqual([form, form]);
    expect(operator.errors).toEqual([]);
  });

  it('shows the methods as soon as there is no envelope, although the browser has kept the old response', async () => {
    envelope.wrap = (value) => ({ response: { value } });
    const shop = await fourMethods(page.origin);
    const operator = await page.open(shop.project);
    await operator.page.getByRole('alert').waitFor();

    envelope.wrap = (value) => value;
    await operator.page.reload();
    await operator.row('UPS Ground').waitFor();

    expect(operator.errors).toEqual([]);
  });
});

describe.skipIf(!isInstalled)(
  `the page on the envelope of the guide, and on a status of the host${place}`,
  () => {
    const page = pageInBrowser({
      mounts: [{ http: { routeDecorators: { remove: [HttpCode(202)] } } }],
      configure: (app) => app.useGlobalInterceptors(new EnvelopeInterceptor()),
    });

    it('edits, switches and removes a method', async () => {
      const { shop, operator } = await page.openShop();
      await operator.button('UPS Ground').click();
      await operator.field('Name').fill('Ground');
      await operator.button('Save').click();
      await operator.notice('“Ground” is saved.');
      await operator.toggle('Ground').click();
      await operator.notice('“Ground” is off');
      await operator.remove('UPS Express');
      await operator.notice('“UPS Express” is removed.');

      const response = await fetch(
        `${page.origin}/api/projects/${shop.project}/sales/orders/shipments/methods`,
      );
      expect(await response.json()).toMatchObject({ ok: true, meta: { total: 3 } });
      expect(operator.errors).toEqual([]);
    });
  },
);

describe.skipIf(!isInstalled)(`the page on errors in another form${place}`, () => {
  const filter = new CatchAll();
  const page = pageInBrowser({
    mounts: [{ http: { problemDetails: false } }],
    configure: (app) => app.useGlobalFilters(filter),
  });

  it('explains a 412 by its status, and shows the message of a 400', async () => {
    const { shop, operator } = await page.openShop();
    const methods = page.host.app.get(ShippingMethodsService);
    const method = await methods.findByCodes(shop.project, { carrier_code: 'ups', method_code: '03' });
    const codes = { carrier_code: 'ups', method_code: '03' };
    await operator.button('UPS Ground').click();
    await operator.field('Name').fill('Mine');
    await methods.update(shop.project, method?.id ?? '', { ...codes, method_label: 'Theirs' });

    await operator.button('Save').click();
    await operator.alert('Somebody changed this method while you edited it.');
    await operator.button('Discard my changes').click();
    await operator.field('Name').fill('');
    await operator.button('Save').click();
    await operator.alert('No.');

    expect(operator.errors).toEqual([]);
  });

  it.each<[unknown, string]>([
    [['No.', { rule: 'length' }, 'Never.'], 'No. Never.'],
    ['', 'The server responded with the status 400.'],
    ['<img src=x onerror="document.title = 1"> No.', '<img src=x onerror="document.title = 1"> No.'],
  ])('shows the message %j of a 400 as text', async (message, shown) => {
    filter.message = message;
    const { operator } = await page.openShop();
    await operator.button('UPS Ground').click();
    await operator.field('Name').fill('');

    await operator.button('Save').click();
    await operator.alert(shown);

    expect(operator.errors).toEqual([]);
  });
});
