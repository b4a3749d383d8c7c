import { describe, expect, it } from 'vitest';
import { pageHtml } from './page-html.js';
import { PageSettings } from './page.options.js';

const routes = { routes: '../{project}', defaults: 'default' };
const htmlAt = (originalUrl: string): string =>
  pageHtml({ originalUrl, headers: {}, params: {} }, new PageSettings(), routes, undefined);

describe('the page', () => {
  it.each([
    ['/shipping', './shipping/assets/'],
    ['/shipping/', './assets/'],
    ['/shipping?project=a/b?c', './shipping/assets/'],
    ['/a/shipping/?project=a', './assets/'],
    ['/', './assets/'],
    ['/"<', './&quot;&lt;/assets/'],
  ])('at %s loads its assets from %s', (url, folder) => {
    expect(htmlAt(url)).toContain(`src="${folder}page-`);
  });

  it('takes time in proportion to the length of its address', () => {
    const cpuTimeOf = (length: number): number => {
      const url = `/${'a'.repeat(length)}/shipping`;
      const times = Array.from({ length: 3 }, () => {
        const start = process.cpuUsage();
        for (let characters = 0; characters < 100_000; characters += length) htmlAt(url);
        const { user, system } = process.cpuUsage(start);
        return user + system;
      });
      return Math.min(...times);
    };

    // Both read 100,000 characters. A quadratic search takes a hundred times as long for the long address.
    expect(cpuTimeOf(100_000)).toBeLessThan(10 * cpuTimeOf(1_000));
  });
});
