// Does on the page what a person does, in Chromium. SCREENSHOTS names a folder for pictures.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { OrderEventsService, ShippingMethodsService } from 'nestjs-shipping';
import { type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';

interface Host {
  get<Service>(type: new (...parameters: never[]) => Service): Service;
}

export interface Visit {
  /** The address of the page, as the browser sees it. */
  address: string;
  host: Host;
  /** Prepares the browser, for instance with the cookies of a login. */
  prepare?: (context: BrowserContext) => Promise<void>;
}

const project = 'acme';
const pictures = process.env['SCREENSHOTS'];
const codes = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

export async function visit({ address, host, prepare }: Visit): Promise<void> {
  const methods = host.get(ShippingMethodsService);
  await methods.create('default', { ...codes, method_label: 'Ground of all shops', meta: { days: 5 } });
  for (let number = 1; number <= 30; number++)
    await methods.create(project, {
      carrier_code: 'dhl',
      method_code: `${number}`,
      method_label: `DHL ${number}`,
      sort_order: number,
    });
  const actor = { type: 'user', label: 'Sam' } as const;
  for (let number = 1; number <= 120; number++)
    await host
      .get(OrderEventsService)
      .record(
        { projectId: project, orderId: '1001' },
        { type: 'note.added', message: `Note ${number}`, actor },
      );

  const executablePath = process.env['CHROMIUM'] || '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const context = await browser.newContext({
      locale: 'en-US',
      viewport: { width: 1400, height: 900 },
      // Colours would change slowly.
      reducedMotion: 'reduce',
    });
    await prepare?.(context);
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (message) => {
      // The browser itself logs each error of the API.
      const isOfApi = message.text().startsWith('Failed to load resource');
      if (!isOfApi && ['error', 'warning'].includes(message.type())) errors.push(message.text());
    });
    const { origin } = new URL(address);
    page.on('request', (asked) => {
      if (!/^(data|blob):/.test(asked.url()) && !asked.url().startsWith(origin)) errors.push(asked.url());
    });
    await page.goto(`${address}?project=${project}&order=1001`);
    await act(page, methods);
    await look(page, browser.version());
    assert.deepEqual(errors, []);
  } catch (error) {
    const [page] = browser.contexts().flatMap((context) => context.pages());
    console.error(`The page shows:\n${await page?.locator('body').innerText()}`);
    throw error;
  } finally {
    await browser.close();
  }
}

async function act(page: Page, methods: ShippingMethodsService): Promise<void> {
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const field = (name: string): Locator => page.getByLabel(name, { exact: true });
  const notice = (text: string): Promise<void> =>
    page.getByRole('status').filter({ hasText: text }).waitFor();
  const alert = (text: string): Promise<void> => page.getByRole('alert').filter({ hasText: text }).waitFor();
  const stored = () => methods.findByCodes(project, { carrier_code: 'ups', method_code: '03' });

  await page.getByText('30 methods, in checkout order').waitFor();
  await page.getByText('100 of 120 events').waitFor();
  await button('Show more').click();
  await page.getByText('Note 1', { exact: true }).waitFor();
  console.log('✓ shows the methods, and a history in parts');

  await button('Add a method').click();
  await field('Carrier code').fill('ups');
  await field('Method code').fill('1');
  await button('Save').click();
  await page.getByText('Name is required.', { exact: true }).waitFor();
  await field('Carrier code').fill('dhl');
  await field('Name').fill(codes.method_label);
  await button('Save').click();
  await alert('Another method of this project has these two codes.');
  await field('Carrier code').fill('ups');
  await field('Method code').fill('03');
  await button('Save').click();
  await notice('“UPS Ground” is saved.');
  console.log('✓ shows the errors of a 400 at their fields, and a 409; saves a method');

  await page.getByRole('searchbox').fill('ground');
  await page.getByText('1 of 31 methods').waitFor();
  await button('UPS Ground').click();
  await field('Name').fill('My label');
  const before = await stored();
  await methods.update(project, before?.id ?? '', { ...codes, sort_order: 41 });
  await button('Save').click();
  await alert('Somebody changed this method while you edited it.');
  await button('Keep my changes').click();
  await notice('“My label” is saved.');
  const { method_label, sort_order } = (await stored()) ?? {};
  assert.deepEqual([method_label, sort_order], ['My label', 41]);
  console.log('✓ explains a 412, and keeps the changes of both');

  await page.getByRole('searchbox').fill('label');
  await button('My label').click();
  await page.getByRole('button', { name: 'Name: Use ' }).click();
  await button('Save').click();
  await notice('“Ground of all shops” is saved.');
  await page.getByRole('searchbox').fill('shops');
  await page.getByText('own: ').waitFor();
  await page.getByRole('switch', { name: 'Active: Ground of all shops' }).click();
  await notice('is off');
  await button('Undo').click();
  await notice('Undone: ');
  await button('Ground of all shops').click();
  await button('Remove method').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await notice('is removed.');
  assert.equal(await stored(), null);
  console.log('✓ inherits, deactivates, takes back and removes');

  await page.locator('.state').waitFor();
  await button('Show all').click();
  await button('Move DHL 2').press('Home');
  await notice('“DHL 2” is now 1 of 30.');
  await button('Move DHL 5').hover();
  await page.mouse.down();
  const target = await page.locator('.methods > li').filter({ hasText: 'DHL 3' }).first().boundingBox();
  await page.mouse.move((target?.x ?? 0) + 20, (target?.y ?? 0) + 5, { steps: 5 });
  await page.mouse.up();
  await notice('“DHL 5” is now 3 of 30.');
  const { data } = await methods.list(project, { per_page: 4 });
  assert.deepEqual(
    data.map((method) => method.method_label),
    ['DHL 2', 'DHL 1', 'DHL 5', 'DHL 3'],
  );
  // The line of the notice covers a part of a row, which axe would take for a small target.
  await page.getByRole('status').getByRole('button', { name: 'Close', exact: true }).click();
  console.log('✓ moves by keyboard and by mouse');
}

/** Checks accessibility and width in both colours, and takes pictures. */
async function look(page: Page, version: string): Promise<void> {
  const axe = await readFile(
    createRequire(join(process.cwd(), 'x.js')).resolve('axe-core/axe.min.js'),
    'utf8',
  );
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 800, 1400]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate(axe);
      const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
      const found = await page.evaluate<unknown[]>(
        `axe.run({ runOnly: ${JSON.stringify(levels)} }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))`,
      );
      assert.deepEqual([colorScheme, width, found], [colorScheme, width, []]);
      const overflow =
        'document.querySelector("#page").scrollWidth - document.querySelector("#page").clientWidth';
      assert.ok((await page.evaluate<number>(overflow)) <= 0);
      if (pictures) await page.screenshot({ path: join(pictures, `host-${colorScheme}-${width}.png`) });
    }
  }
  console.log(`✓ axe finds nothing at 360, 800 and 1,400 px, light and dark (Chromium ${version})`);
}
