// Our errors in both GraphQL drivers of Nest, with the filter of docs/recipes/graphql.md and without it.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { type DynamicModule, Module } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { GraphQLModule } from '@nestjs/graphql';
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ShippingModule } from 'nestjs-shipping';
import { embeddedTypeOrmModule } from 'nestjs-shipping/testing';
import { MethodsResolver, PlainResolver, plainTypeDefs, typeDefs } from './methods.resolver.js';

const allTypeDefs = typeDefs + plainTypeDefs;

@Module({})
class AppModule {
  static with(graphql: DynamicModule): DynamicModule {
    return {
      module: AppModule,
      imports: [embeddedTypeOrmModule(), ShippingModule.forRoot(), graphql],
      providers: [MethodsResolver, PlainResolver],
    };
  }
}

interface GraphqlResponse {
  data: unknown;
  errors?: {
    message: string;
    path: string[];
    extensions?: { code?: string; errors?: unknown[]; existing_id?: string };
  }[];
}

const unknownId = '019a9f52-1a40-7c0e-8b11-2f4d9a7c5e60';

async function checkDriver(
  name: string,
  graphql: DynamicModule,
  adapter: AbstractHttpAdapter,
): Promise<void> {
  const app = await NestFactory.create(AppModule.with(graphql), adapter, { logger: ['error'] });
  await app.listen(0, '127.0.0.1');
  const url = `${await app.getUrl()}/graphql`;
  const ask = async (query: string): Promise<GraphqlResponse> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
    return (await response.json()) as GraphqlResponse;
  };
  const add = (carrier: string, label: string): Promise<GraphqlResponse> =>
    ask(`mutation { addMethod(shop: "acme", method: {
      carrier_code: "${carrier}", method_code: "03", method_label: "${label}" }) { id method_label } }`);

  const added = await add('ups', 'Ground');
  assert.equal(added.errors, undefined, JSON.stringify(added));

  const listed = await ask('{ methods(shop: "acme") { method_label } }');
  assert.deepEqual(listed.data, { methods: [{ method_label: 'Ground' }] }, JSON.stringify(listed));

  const responses = {
    duplicate_method: await add('ups', 'Ground'),
    validation_failed: await add('', ''),
    method_not_found: await ask(`{ method(shop: "acme", id: "${unknownId}") { id } }`),
    invalid_parameter: await ask(`{ method(shop: "a b", id: "${unknownId}") { id } }`),
  };
  for (const [code, { errors = [] }] of Object.entries(responses)) {
    assert.equal(errors.length, 1, JSON.stringify(errors));
    assert.equal(errors[0]?.extensions?.code, code, JSON.stringify(errors));
    console.log(`✓ ${name}: ${code}: ${errors[0]?.message}`);
  }
  assert.equal(responses.validation_failed.errors?.[0]?.extensions?.errors?.length, 2);
  assert.ok(responses.duplicate_method.errors?.[0]?.extensions?.existing_id);

  // Without the filter, the message arrives, but not our code.
  for (const [shop, message] of [
    ['acme', /no such shipping method/],
    ['a b', /^projectId must/],
  ] as const) {
    const { errors = [] } = await ask(`{ plain(shop: "${shop}", id: "${unknownId}") { id } }`);
    assert.match(String(errors[0]?.message), message);
    console.log(`✓ ${name}, without the filter: the code is ${errors[0]?.extensions?.code}`);
  }
  await app.close();
}

async function main(): Promise<void> {
  await checkDriver(
    'Mercurius',
    GraphQLModule.forRoot<MercuriusDriverConfig>({ driver: MercuriusDriver, typeDefs: allTypeDefs }),
    new FastifyAdapter(),
  );
  await checkDriver(
    'Apollo',
    GraphQLModule.forRoot<ApolloDriverConfig>({ driver: ApolloDriver, typeDefs: allTypeDefs }),
    new ExpressAdapter(),
  );
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
