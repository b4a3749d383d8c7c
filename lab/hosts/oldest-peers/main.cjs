// The contract, and a script without HTTP, with the oldest version of each peer that the package allows, on each server.
require('reflect-metadata');
const { Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { ExpressAdapter } = require('@nestjs/platform-express');
const { FastifyAdapter } = require('@nestjs/platform-fastify');
const { Test } = require('@nestjs/testing');
const { OrderEventsService, ShippingMethodsService, ShippingModule } = require('nestjs-shipping');
const { shippingContract, testTypeOrmModule } = require('nestjs-shipping/testing');

const servers = {
  postgres: { type: 'postgres', url: 'postgres://postgres@127.0.0.1:5432/test' },
  mariadb: { type: 'mariadb', host: '127.0.0.1', username: 'root', charset: 'utf8mb4' },
  mysql: { type: 'mysql', host: '127.0.0.1', username: 'root', charset: 'utf8mb4' },
};

const express = () => new ExpressAdapter();
const fastify = () => new FastifyAdapter();

async function contractOn(name, adapter) {
  const imports = [testTypeOrmModule(servers[name]), ShippingModule.forRoot()];
  const testing = await Test.createTestingModule({ imports }).compile();
  const app = testing.createNestApplication(adapter(), { logger: ['warn', 'error'] });
  await app.listen(0, '127.0.0.1');
  const target = { origin: await app.getUrl(), orderEvents: app.get(OrderEventsService) };
  const checks = shippingContract(() => target);
  for (const { run } of checks) await run();
  console.log(`✓ ${checks.length} checks on ${name}, ${adapter.name}`);
  await app.close();
}

async function scriptOn(name) {
  class ScriptModule {}
  Module({ imports: [testTypeOrmModule(servers[name]), ShippingModule.forRoot()] })(ScriptModule);
  const options = { logger: ['warn', 'error'], abortOnError: false };
  const script = await NestFactory.createApplicationContext(ScriptModule, options);
  await script.get(ShippingMethodsService).adoptDefaults('acme');
  console.log(`✓ a script on ${name}`);
  await script.close();
}

(async () => {
  for (const name of process.argv.slice(2)) {
    for (const adapter of [express, fastify]) await contractOn(name, adapter);
    await scriptOn(name);
  }
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
