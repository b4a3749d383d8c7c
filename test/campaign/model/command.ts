import fc from 'fast-check';
import { type ShippingMethodChange, type ShippingMethodDto } from 'nestjs-shipping';
import { type DataSource, type EntityManager } from 'typeorm';
import { expect } from 'vitest';
import { type TestApp } from '../../support/app.js';
import { type Caller, HttpCaller, type Reply, ServiceCaller } from './callers.js';
import { type ContractModel, type Method, type Presented } from './contract-model.js';
import { expectStrong, withoutEtags } from './etags.js';

/** The library under attack, as one run of commands sees it. */
export interface Shops {
  /** Another one in each run, where no fresh project keeps runs apart. */
  run: number;
  /** Two tenants, then the project of their defaults. */
  projects: readonly string[];
  /** Two hosts on one database, on Fastify and on Express. */
  apps: readonly TestApp[];
  dataSource: DataSource;
  /** The transaction that commands are part of. */
  manager?: EntityManager;
  /** What the stream of changes has told, and nobody has looked at. */
  seen: ShippingMethodChange[];
  /** Commands that were carried out. */
  count: () => void;
  /** What clients hold of lists and trees. */
  held: { path: string; etag: string; moment: string; body: unknown }[];
  /** What forms have loaded. */
  loaded: { project: string; etag: string; shown: Presented; origin: Method | undefined }[];
  /** What each ETag of a method was seen with. */
  states: Map<string, ShippingMethodDto>;
}

export type Script = Iterable<fc.AsyncCommand<ContractModel, Shops>>;

interface Context<Way> {
  model: ContractModel;
  shop: Way;
  shops: Shops;
  /** The same way, for another project. */
  at: (project: string) => Way;
}

type Perform = (model: ContractModel, shops: Shops) => Promise<void>;

export class Command implements fc.AsyncCommand<ContractModel, Shops> {
  constructor(
    private readonly title: string,
    private readonly perform: Perform,
  ) {}

  check(): boolean {
    return true;
  }

  async run(model: ContractModel, shops: Shops): Promise<void> {
    shops.count();
    await this.perform(model, shops);
    expectTold(model, shops);
  }

  toString(): string {
    return this.title;
  }
}

/** @param said what is compared */
export function expectSame(said: string, actual: unknown, expected: unknown): void {
  expect({ [said]: withoutEtags(actual) }).toEqual({ [said]: expected });
}

/** What is committed is told once, in its order; nothing else is. */
export function expectTold(model: ContractModel, { seen, manager }: Shops): void {
  const committed = manager ? [] : model.told.splice(0);
  const told = seen.splice(0);
  expectSame('told of', told, committed);
}

const projects = ['A', 'B', 'defaults'];
const project = fc.constantFrom(0, 0, 0, 1, 2, 2);
const ways = ['Fastify', 'Express', 'a service', 'a service of the other host'] as const;
/** In a transaction each command goes by a service. */
const way = fc.constantFrom(...ways);

/** A command by each way there is. */
export function command<Input>(
  name: string,
  input: fc.Arbitrary<Input>,
  perform: (input: Input, context: Context<Caller>) => Promise<void>,
): fc.Arbitrary<Command> {
  return fc.tuple(project, way, input).map(([index, by, given]) => {
    const title = `${projects[index]} by ${by}: ${name} ${JSON.stringify(given)}`;
    return new Command(title, (model, shops) => {
      const { apps, manager } = shops;
      const isHttp = !manager && (by === 'Fastify' || by === 'Express');
      const app = item(apps, by === 'Fastify' || by === 'a service' ? 0 : 1);
      const at = (own: string): Caller => (isHttp ? new HttpCaller(app, own) : serviceOf(app, own, manager));
      return perform(given, { model, shop: at(item(shops.projects, index)), shops, at });
    });
  });
}

/** A command that the services alone know. */
export function serviceCommand<Input>(
  name: string,
  input: fc.Arbitrary<Input>,
  perform: (input: Input, context: Context<ServiceCaller>) => Promise<void>,
): fc.Arbitrary<Command> {
  return fc.tuple(project, fc.constantFrom(0, 1), input).map(([index, host, given]) => {
    const title = `${projects[index]} by a service: ${name} ${JSON.stringify(given)}`;
    return new Command(title, (model, shops) => {
      const at = (own: string): ServiceCaller => serviceOf(item(shops.apps, host), own, shops.manager);
      return perform(given, { model, shop: at(item(shops.projects, index)), shops, at });
    });
  });
}

function serviceOf(app: TestApp, own: string, manager: EntityManager | undefined): ServiceCaller {
  return new ServiceCaller(app, own, manager ? { manager } : {});
}

function item<Item>(items: readonly Item[], index: number): Item {
  const found = items[index];
  if (found === undefined) throw new Error(`There is no ${index}.`);
  return found;
}

/** Some method of the project. */
export function methodAt(model: ContractModel, owner: string, index: number): Method | undefined {
  const own = model.of(owner);
  return own[index % Math.max(own.length, 1)];
}

/** A read, with an ETag of an earlier one: what has not changed is not sent again. */
export async function expectRead(
  path: string,
  read: (held?: string) => Promise<Reply>,
  expected: object,
  remembered: number,
  { model, shop, shops }: Context<Caller>,
): Promise<void> {
  const moment = model.momentOf(shop.project);
  const known = shops.held.filter((one) => one.path === path);
  const held = known[remembered % Math.max(known.length, 1)];

  const { status, body, etag } = await read(held?.etag);

  if (!shops.manager) expectStrong(body, shops.states);
  if (held && etag !== undefined && held.moment === moment)
    expect({ path, ifNoneMatch: 'still true', status }).toMatchObject({ status: 304 });
  if (status === 304)
    return expect({ path, isHeldByTheClient: held?.body }).toEqual({ path, isHeldByTheClient: expected });
  expect({ path, status, body: withoutEtags(body) }).toEqual({ path, status: 200, body: expected });
  if (typeof etag !== 'string') return;
  shops.held.push({ path, etag, moment, body: expected });
}
