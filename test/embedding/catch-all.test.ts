import { Controller, Get, Module, type ModuleMetadata } from '@nestjs/common';
import { OrderEventsService, ShippingModule } from 'nestjs-shipping';
import { type ContractTarget, shippingContract } from 'nestjs-shipping/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, listening, typeOrm } from './host.js';

/** A host that gives its web app to every path that no other route has. */
@Controller()
class WebApp {
  @Get('{*splat}')
  page(): string {
    return '<!doctype html><title>The web app</title>';
  }
}

@Module({ controllers: [WebApp] })
class WebAppModule {}

@Module({})
class AppModule {}

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database?.close());

async function targetOf({ imports = [], controllers }: ModuleMetadata): Promise<ContractTarget> {
  const ours = [typeOrm(database), ShippingModule.forRoot()];
  const root = { module: AppModule, imports: [...ours, ...imports], controllers };
  const { app, origin } = await listening(await compiled([root]));
  onTestFinished(async () => {
    await app.getHttpServer().close();
  });
  return { origin, orderEvents: app.get(OrderEventsService) };
}

const hides = /another route of your application.*imported after ShippingModule/is;

it('a catch-all of the root module hides our GET routes', async () => {
  const target = await targetOf({ controllers: [WebApp] });

  const checks = shippingContract(() => target);
  const errors = await Promise.all(checks.map(({ run }) => run().then(() => '', String)));

  expect(errors.filter((error) => hides.test(error)).length).toBeGreaterThanOrEqual(4);
});

it('a catch-all in a module that is imported after ShippingModule hides nothing', async () => {
  const target = await targetOf({ imports: [WebAppModule] });

  for (const { run } of shippingContract(() => target)) await run();

  const page = await fetch(`${target.origin}/any/page`);
  expect(await page.text()).toContain('The web app');
});
