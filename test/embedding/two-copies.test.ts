import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DynamicModule } from '@nestjs/common';
import { type NestFactory } from '@nestjs/core';
import { getDataSourceToken } from '@nestjs/typeorm';
import { ShippingModule } from 'nestjs-shipping';
import { ShippingPageModule } from 'nestjs-shipping/page';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await testDatabase();
  const core = dirname(createRequire(import.meta.url).resolve('@nestjs/core/package.json'));
  // In this folder, the copy finds the packages that Nest needs.
  folder = await mkdtemp(join(core, '../../.two-copies-'));
  await cp(core, join(folder, 'node_modules/@nestjs/core'), { recursive: true });
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await database?.close();
});

it.each<[string, DynamicModule[]]>([
  ['without the page', []],
  ['with the page', [ShippingPageModule.forRoot()]],
])('an application with another copy of @nestjs/core than ours does not boot, %s', async (_how, page) => {
  const copy = pathToFileURL(join(folder, 'node_modules/@nestjs/core/index.js')).href;
  const nest = (await import(copy)) as { NestFactory: typeof NestFactory };
  const token = getDataSourceToken();
  const provider = { provide: token, useValue: database.dataSource };
  class Data {}
  const data: DynamicModule = { module: Data, global: true, providers: [provider], exports: [token] };
  class App {}
  const app: DynamicModule = { module: App, imports: [data, ...page, ShippingModule.forRoot()] };

  const booted = nest.NestFactory.createApplicationContext(app, { logger: false, abortOnError: false });

  await expect(booted).rejects.toThrow(/^Two copies of @nestjs\/core are installed.*npm ls @nestjs\/core/);
});
