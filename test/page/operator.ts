import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';

/** Headless Chromium takes half the time of the whole browser. */
const usual = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const executablePath =
  process.env['CHROMIUM'] || usual.find((path) => existsSync(path)) || usual.join(' or ');
export const isInstalled = existsSync(executablePath);
/** For the title of a suite that is skipped. */
export const place = isInstalled ? '' : ` (there is no Chromium at ${executablePath})`;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** All files of a worker share it. Playwright closes it when the process ends. */
let browser: Promise<Browser> | undefined;

/** A request that waits for `held` goes on after `release()`. */
export function hold(): { held: Promise<void>; release: () => void } {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  return { held, release };
}

/** A person at the page, in a browser of their own. */
export class Operator {
  /** Errors and warnings in the console of the browser. */
  readonly errors: string[] = [];

  private constructor(readonly page: Page) {}

  static async at(address: string, options: BrowserContextOptions = {}): Promise<Operator> {
    // The root user of a container has no sandbox.
    browser ??= chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    const context = await (
      await browser
    ).newContext({ locale: 'en-US', reducedMotion: 'reduce', timezoneId: 'America/New_York', ...options });
    const operator = new Operator(await context.newPage());
    const { page, errors } = operator;
    page.setDefaultTimeout(10_000);
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (message) => {
      // The browser itself logs each error of the API.
      const isOfApi = message.text().startsWith('Failed to load resource');
      if (!isOfApi && ['error', 'warning'].includes(message.type())) errors.push(message.text());
    });
    // Each response is as slow as on a network. So the page reports a write before it shows the new state.
    await page.route('**/sales/**', async (route) => {
      await delay(10);
      await route.continue();
    });
    await page.goto(address);
    return operator;
  }

  /** Closes the browser of all operators. */
  static async leave(): Promise<void> {
    await (await browser)?.close();
    browser = undefined;
  }

  close(): Promise<void> {
    return this.page.context().close();
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  handle(label: string): Locator {
    return this.button(`Move ${label}`);
  }

  field(name: string): Locator {
    return this.page
      .getByRole('textbox', { name, exact: true })
      .or(this.page.getByRole('combobox', { name, exact: true }));
  }

  /** Fills in fields by their labels. */
  async fillIn(values: Record<string, string>): Promise<void> {
    for (const [name, value] of Object.entries(values)) await this.field(name).fill(value);
  }

  toggle(label: string): Locator {
    return this.page.getByRole('switch', { name: `Active: ${label}` });
  }

  /** The row of a method. */
  row(label: string): Locator {
    return this.page.locator('.methods > li').filter({ hasText: label });
  }

  /** The events of the history. */
  events(): Locator {
    return this.page.locator('.history li');
  }

  /** Removes a method by its form. */
  async remove(label: string): Promise<void> {
    await this.button(label).click();
    await this.button('Remove method').click();
    await this.dialog(`Remove “${label}”?`).getByRole('button', { name: 'Remove', exact: true }).click();
  }

  dialog(name?: string): Locator {
    return this.page.getByRole('dialog', { name });
  }

  text(text: string): Locator {
    return this.page.getByText(text);
  }

  /** Waits for a text in the status line. */
  notice(text: string): Promise<void> {
    return this.page.getByRole('status').filter({ hasText: text }).waitFor();
  }

  /** Waits for a text that interrupts. */
  alert(text: string): Promise<void> {
    return this.page.getByRole('alert').filter({ hasText: text }).waitFor();
  }

  labels(): Promise<string[]> {
    return this.page.locator('.methods .name').allTextContents();
  }

  /** The error at a field. */
  errorAt(name: string): Promise<string | null> {
    return this.field(name).evaluate(
      (input) => input.closest('.field')?.querySelector('.violation')?.textContent ?? null,
    );
  }

  /** Counts, from the next page on, how many rows of methods are added at once. `mostRows` on the page is the largest number. */
  async countRowsAddedAtOnce(): Promise<void> {
    await this.page.addInitScript(
      "window.mostRows = 0; new MutationObserver((records) => { const added = records.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node.querySelectorAll); mostRows = Math.max(mostRows, added.flatMap((node) => [node, ...node.querySelectorAll('*')]).filter((node) => node.matches('.methods > li')).length); }).observe(document, { childList: true, subtree: true });",
    );
  }

  async accessibilityFaults(): Promise<string[]> {
    await this.page.evaluate(axe);
    const { violations } = await this.page.evaluate<{
      violations: { id: string; nodes: { html: string }[] }[];
    }>(`axe.run(${JSON.stringify({ runOnly: levels })})`);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }

  /** How many pixels do not fit into the width. */
  overflow(): Promise<number> {
    return this.page.evaluate(
      'Math.max(...[document.documentElement, document.querySelector("#page")].map((e) => e.scrollWidth - e.clientWidth))',
    );
  }
}
