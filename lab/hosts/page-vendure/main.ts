// A Vendure server with the page, on its own guards and middleware.
import 'reflect-metadata';
import { bootstrap, VendurePlugin } from '@vendure/core';
import { ShippingPageModule } from 'nestjs-shipping/page';
import { configOn } from './config.js';
import { visit } from './visit.js';

@VendurePlugin({ imports: [ShippingPageModule.forRoot()], compatibility: '^3.0.0' })
class ShippingPagePlugin {}

async function main(): Promise<void> {
  const config = configOn('page.sqlite', 0);
  const app = await bootstrap({ ...config, plugins: [...(config.plugins ?? []), ShippingPagePlugin] });
  const host = {
    get: <Service>(type: new (...parameters: never[]) => Service) =>
      app.get<Service>(type, { strict: false }),
  };
  await visit({ address: `${await app.getUrl()}/shipping`, host });
  await app.close();
  process.exit(0);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
