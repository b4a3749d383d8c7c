import 'reflect-metadata';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { JwtService } from '@nestjs/jwt';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { OrderEventsService } from 'nestjs-shipping';
import { shippingContract, testTypeOrmModule } from 'nestjs-shipping/testing';
import { AppModule, database, options } from './app.module.js';

describe('the routes behind the guard', () => {
  let app: NestFastifyApplication;
  let origin: string;
  let authorization: string;
  before(async () => {
    const testing = Test.createTestingModule({ imports: [AppModule] });
    // The test creates a database of its own, and drops it at the end.
    const compiled = await testing.overrideModule(database).useModule(testTypeOrmModule(options)).compile();
    app = compiled.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    await app.listen(0, '127.0.0.1');
    origin = await app.getUrl();
    authorization = `Bearer ${await app.get(JwtService).signAsync({ projects: ['shop'] })}`;
  });
  after(() => app.close());

  const status = async (project: string, headers: Record<string, string> = {}): Promise<number> =>
    (await fetch(`${origin}/api/projects/${project}/sales/orders/shipments/methods`, { headers })).status;

  it('are closed without a token, and for a project that the token does not name', async () => {
    assert.equal(await status('shop'), 401);
    assert.equal(await status('shop', { authorization: 'Bearer forged' }), 401);
    assert.equal(await status('other', { authorization }), 403);
    assert.equal(await status('shop', { authorization }), 200);
  });

  it('are closed for a token that is signed with a text of this repository', async () => {
    const forged = await new JwtService({ secret: 'only for a try' }).signAsync({ projects: ['shop'] });
    assert.equal(await status('shop', { authorization: `Bearer ${forged}` }), 401);
  });

  const target = () => ({
    origin,
    orderEvents: app.get(OrderEventsService),
    headers: { authorization },
    projectId: () => 'shop',
  });
  // The token gives no access to the defaults project.
  for (const { title, run } of shippingContract(target, { without: ['defaults'] })) {
    it(title, run);
  }
});
