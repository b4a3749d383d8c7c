import { type BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { Operator } from './operator.js';
import { type PageHost, pageHost, type PageHostOptions } from './page-host.js';

export { hold, isInstalled, Operator, place } from './operator.js';

/** Registers the hooks of a suite: it has one host, and each test may have one operator. */
export function pageInBrowser(options: PageHostOptions = {}) {
  let host: PageHost;
  let operator: Operator | undefined;
  beforeAll(async () => {
    host = await pageHost(options);
  });
  afterAll(async () => {
    await host?.close();
  });
  afterEach(() => operator?.close());
  const open = async (project: string, context?: BrowserContextOptions): Promise<Operator> => {
    operator = await Operator.at(`${host.origin}/shipping?project=${project}`, context);
    return operator;
  };
  return {
    get host() {
      return host;
    },
    get origin() {
      return host.origin;
    },
    open,
    /** Opens a project of its own with four methods. */
    async openShop(context?: BrowserContextOptions): Promise<{ shop: Client; operator: Operator }> {
      const shop = await fourMethods(host.origin);
      const opened = await open(shop.project, context);
      await opened.row('UPS Ground').waitFor();
      return { shop, operator: opened };
    },
  };
}

/** A new project with four methods of two carriers. */
export async function fourMethods(origin: string): Promise<Client> {
  const shop = new Client(origin, freshProject());
  const methods = [
    ['ups', 'UPS', '03', 'UPS Ground'],
    ['ups', 'UPS', '02', 'UPS 2nd Day Air'],
    ['ups', 'UPS', '07', 'UPS Express'],
    ['dhl', 'DHL', 'P', 'DHL Worldwide'],
  ];
  for (const [index, [carrier_code, carrier_label, method_code, method_label]] of methods.entries())
    await shop.create({
      carrier_code,
      carrier_label,
      method_code,
      method_label,
      sort_order: (index + 1) * 10,
    });
  return shop;
}
