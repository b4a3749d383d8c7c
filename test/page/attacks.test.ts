import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { OrderEventsService } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { isInstalled, Operator, pageInBrowser, place } from './page-in-browser.js';

const markup = '<img src="x" alt="run" onerror="alert(1)"> & co';

/** A page of another site that shows this one in a frame. */
async function framing(address: string) {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<iframe src="${address}"></iframe>`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { address: `http://localhost:${(server.address() as AddressInfo).port}/`, server };
}

describe.skipIf(!isInstalled)(`the page under attack${place}`, () => {
  const page = pageInBrowser();

  it('shows texts as they were typed, even markup and names of JavaScript', async () => {
    const shop = new Client(page.origin, freshProject());
    const meta = { by: 'constructor', others: ['toString', true, null], [markup]: markup };
    const labels = { carrier_label: markup, method_label: markup };
    await shop.create({ carrier_code: markup, method_code: markup, ...labels, meta });
    const actor = { type: 'user', label: markup } as const;
    const event = { type: 'note.added', message: markup, data: { note: markup }, actor };
    await page.host.app.get(OrderEventsService).record({ projectId: shop.project, orderId: '1' }, event);

    const operator = await page.open(`${shop.project}&order=1`);
    await operator.row('by constructor').waitFor();
    await operator.events().waitFor();
    await operator.button(markup).click();
    await operator.dialog(`Edit “${markup}”`).waitFor();

    const row = await operator.row('by constructor').textContent();
    expect(row).toContain(`${markup}${markup}`);
    expect(row).toContain('by constructor');
    expect(row).toContain('others toString, ✓, –');
    expect(await operator.events().textContent()).toContain(markup);
    expect(await operator.page.getByAltText('run').count()).toBe(0);
    expect(operator.errors).toEqual([]);
  });

  it('sends nothing for a project that is no id', async () => {
    const operator = await Operator.at('about:blank');
    const asked: string[] = [];
    operator.page.on('request', (request) => asked.push(new URL(request.url()).pathname));

    for (const project of [
      '..',
      '../../../admin',
      '.',
      'a/b',
      '%2e%2e',
      'a?b',
      'a#b',
      '<script>',
      'x'.repeat(65),
    ]) {
      await operator.page.goto(`${page.origin}/shipping?${new URLSearchParams({ project })}`);
      await operator.alert('Use only letters, digits and _ . : -');
    }

    expect(asked.filter((path) => !path.startsWith('/shipping'))).toEqual([]);
    await operator.close();
  });

  it('sends nothing for an order that is no id', async () => {
    const { operator } = await page.openShop();
    const asked: string[] = [];
    operator.page.on('request', (request) => asked.push(request.url()));

    for (const order of ['..', '../shipments/methods', '#1']) {
      await operator.field('Order number').fill(order);
      await operator.button('History').click();
      await operator.alert('Use only letters, digits and _ . : -');
    }

    expect(asked).toEqual([]);
  });

  it('is not shown in a frame of another site', async () => {
    const frame = await framing(`${page.origin}/shipping?project=acme`);
    const operator = await Operator.at(frame.address);

    await expect.poll(() => operator.errors.join(' ')).toContain('frame-ancestors');
    expect(await operator.page.frames()[1]?.getByRole('heading').count()).toBe(0);
    await operator.close();
    frame.server.close();
  });
});

describe.skipIf(!isInstalled)(`a page that may be framed${place}`, () => {
  const page = pageInBrowser({ page: { frameAncestors: ['http://localhost:*'] } });

  it('works in a frame of the site that the host names', async () => {
    const frame = await framing(`${page.origin}/shipping?project=acme`);
    const operator = await Operator.at(frame.address);

    await operator.page.frameLocator('iframe').getByText('“acme” has no shipping methods yet').waitFor();

    expect(operator.errors).toEqual([]);
    await operator.close();
    frame.server.close();
  });
});
