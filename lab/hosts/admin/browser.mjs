// Does in the admin what a person does, and looks at what the page shows and at what is stored.
// SCREENSHOTS names a folder for pictures of it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { startAdmin, startSample } from './servers.mjs';

const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
const pictures = process.env.SCREENSHOTS;
const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const since = Date.now();
const done = (text) => console.log(`${((Date.now() - since) / 1000).toFixed(1)} s  ${text}`);

const [browser, sample] = await Promise.all([chromium.launch({ executablePath, args }), startSample()]);
const admin = await startAdmin(sample.origin);
const page = await browser.newPage({ locale: 'en-US', viewport: { width: 1100, height: 800 } });
page.setDefaultTimeout(10_000);
const errors = [];
page.on('pageerror', ({ message }) => errors.push(message));
page.on('console', (message) => {
  // The browser itself logs each error of the API.
  const isOfApi = message.text().startsWith('Failed to load resource');
  if (!isOfApi && ['error', 'warning'].includes(message.type())) errors.push(message.text());
});
page.on('request', (asked) => {
  if (!/^(data|blob):/.test(asked.url()) && !asked.url().startsWith(admin.origin)) errors.push(asked.url());
});
try {
  await visit();
  assert.deepEqual(errors, []);
} catch (error) {
  console.error(`The page shows:\n${await page.locator('body').innerText()}`);
  if (pictures) await page.screenshot({ path: join(pictures, 'failed.png') });
  throw error;
} finally {
  await browser.close();
  admin.stop();
  await sample.stop();
}

async function visit() {
  done('The sample and the browser have started.');
  for (let number = 0; number < 104; number++)
    await call('POST', '', {
      carrier_code: number < 4 ? 'ups' : 'dhl',
      method_code: String(number).padStart(3, '0'),
      method_label: `Method ${number}`,
      is_active: number % 2 === 0,
      sort_order: number,
      meta: { days: 3 },
    });
  done('The sample has 104 methods.');

  await page.goto(admin.origin);
  await page.getByText('1-10 of 104').waitFor();
  await lists(numbered(0, 10));
  await picture('list');
  await press('Go to next page');
  await page.getByText('11-20 of 104').waitFor();
  await lists(numbered(10, 20));
  done('The list shows the total of all methods, and the second page.');

  const [exported] = await Promise.all([page.waitForEvent('download'), press('Export')]);
  const rows = (await readFile(await exported.path(), 'utf8')).trim().split('\n');
  assert.equal(rows.length, 1 + 104);
  done('“Export” writes all methods.');

  await field('Search').fill('ups');
  await page.getByText('1-4 of 4').waitFor();
  await lists(numbered(0, 4));
  await choose('Active', 'No');
  await page.getByText('1-2 of 2').waitFor();
  await lists(['Method 1', 'Method 3']);
  done('A search by q and a filter by is_active narrow it.');

  await page.getByRole('link', { name: 'Create' }).click();
  await fill({ 'Carrier code': 'gls', 'Method code': '24 ', 'Method label': 'Parcel', 'Sort order': '-1' });
  await sends('POST', 400, 'Save');
  const error = await errorAt('Method code');
  assert.match(error, /space/);
  await picture('refused');
  assert.deepEqual(await find({ carrier_code: 'gls' }), []);
  await fill({ 'Method code': '24' });
  await sends('POST', 201, 'Save');
  await notice('Element created');
  const [created] = await find({ carrier_code: 'gls' });
  const expected = { method_code: '24', method_label: 'Parcel', is_active: true, sort_order: -1, version: 1 };
  assertHas([created], [expected]);
  done(`A new method is refused at its field (“${error}”), then created.`);

  await fill({ 'Method label': 'Parcel to the door' });
  await picture('edit');
  const sent = await sends('PATCH', 200, 'Save');
  await notice('Element updated');
  const codes = { carrier_code: 'gls', method_code: '24' };
  assert.deepEqual(sent.postDataJSON(), { ...codes, method_label: 'Parcel to the door' });
  assert.equal(sent.headers()['if-match'], created.etag);
  assertHas(await find(codes), [{ ...expected, method_label: 'Parcel to the door', version: 2 }]);
  done('One field is changed, and no other is sent.');

  const othersChange = (values) =>
    call('PATCH', `/${created.id}`, { ...codes, method_label: 'Parcel to the door', ...values });
  await field('Search').fill('gls');
  await choose('Active', '');
  await page.getByRole('cell', { name: 'Parcel to the door' }).click();
  await fill({ 'Method label': 'Mine' });
  await othersChange({ method_label: 'Theirs' });
  await sends('PATCH', 412, 'Save');
  await conflict();
  await picture('conflict');
  await page.keyboard.press('Escape');
  await sends('PATCH', 412, 'Save');
  await conflict();
  await press('Load theirs');
  await holds('Method label', 'Theirs');
  assertHas(await find(codes), [{ method_label: 'Theirs', version: 3 }]);
  done('A change of somebody else is not overwritten. “Load theirs” shows it.');

  await fill({ 'Carrier label': 'GLS' });
  await othersChange({ method_label: 'Theirs', sort_order: 5 });
  await sends('PATCH', 412, 'Save');
  await conflict();
  await page.route('**/methods?filter=*', thenOthersChange, { times: 1 });
  await sends('PATCH', 412, 'Save mine');
  await conflict();
  assertHas(await find(codes), [{ carrier_label: null, sort_order: 6, version: 5 }]);
  await sends('PATCH', 200, 'Save mine');
  await notice('Element updated');
  assertHas(await find(codes), [
    { carrier_label: 'GLS', method_label: 'Theirs', sort_order: 6, meta: { days: 2 }, version: 6 },
  ]);
  done(
    '“Save mine” keeps what others have changed in other fields, and asks again when a third one was faster.',
  );

  await page.getByRole('cell', { name: 'Theirs' }).click();
  await holds('Carrier label', 'GLS');
  await othersChange({ method_label: 'Still needed' });
  await press('Delete');
  await sends('DELETE', 412, 'Confirm');
  await notice('The method is now at version 7');
  assertHas(await find(codes), [{ method_label: 'Still needed' }]);
  await press('Refresh');
  await holds('Method label', 'Still needed');
  await press('Delete');
  await sends('DELETE', 204, 'Confirm');
  await notice('Element deleted');
  assert.deepEqual(await find(codes), []);
  done('A method is deleted as it was seen, and not after somebody else has changed it.');

  async function thenOthersChange(route) {
    const response = await route.fetch();
    await othersChange({ method_label: 'Theirs', sort_order: 6, meta: { days: 2 } });
    await route.fulfill({ response });
  }
}

function field(label) {
  return page.getByRole('textbox', { name: label }).or(page.getByRole('spinbutton', { name: label }));
}
async function fill(values) {
  for (const [label, value] of Object.entries(values)) await field(label).fill(value);
}
async function choose(label, option) {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}
/** Presses a button that calls the API. @returns the request */
async function sends(method, status, button) {
  const responded = page.waitForResponse((response) => response.request().method() === method);
  const [response] = await Promise.all([responded, press(button)]);
  assert.equal(response.status(), status);
  return response.request();
}
function press(name) {
  return page.getByRole('button', { name, exact: true }).click();
}
/** Waits until these are the labels in the list. */
async function lists(labels) {
  const isShown = (wanted) => {
    const cells = document.querySelectorAll('tbody .column-method_label');
    return Array.from(cells, ({ innerText }) => innerText).join() === wanted;
  };
  await page.waitForFunction(isShown, labels.join());
}
/** Waits until the page says that. */
async function notice(text) {
  await page.getByRole('alert').filter({ hasText: text }).waitFor();
}
async function conflict() {
  await page.getByRole('dialog').getByText('Somebody else has changed this method').waitFor();
}
async function holds(label, value) {
  await page.waitForFunction(
    ([input, wanted]) => input.value === wanted,
    [await field(label).elementHandle(), value],
  );
}
/** The text below a refused field. */
async function errorAt(label) {
  const id = await field(label).and(page.locator('[aria-invalid=true]')).getAttribute('aria-describedby');
  return page.locator(`[id="${id}"]`).innerText();
}
async function picture(name) {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), animations: 'disabled' });
}

/** Calls the API of the sample as another client does. */
async function call(method, path, body) {
  const response = await fetch(`${sample.origin}/api/projects/acme/sales/orders/shipments/methods${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return response.json();
}
async function find(filter) {
  return (await call('GET', `?filter=${encodeURIComponent(JSON.stringify(filter))}`)).data;
}
function assertHas(methods, expected) {
  const values = methods.map((method, index) =>
    Object.fromEntries(Object.keys(expected[index] ?? {}).map((name) => [name, method[name]])),
  );
  assert.deepEqual(values, expected);
}
function numbered(from, to) {
  return Array.from({ length: to - from }, (_, index) => `Method ${from + index}`);
}
