import fc from 'fast-check';
import { type ShippingMethodChange, type ShippingMethodDto } from 'nestjs-shipping';
import { type DataSource, type EntityManager } from 'typeorm';
import { expect } from 'vitest';
import { type TestApp } from '../support/app.js';
import { type Caller, HttpCaller, type CallerResponse, ServiceCaller } from './callers.js';
import { type ContractModel, type Method, type Shown } from './contract-model.js';
import { expectStrong, withoutEtags } from './etags.js';

/** The library under test, in one run of commands. */
export interface Shops {
  /** The number of the run. It keeps runs apart in the defaults project, which they share. */
  run: number;
  /** Two tenants, and then the project of their defaults. */
  projects: readonly string[];
  /** Two hosts on one database, on Fastify and on Express. */
  apps: readonly TestApp[];
  dataSource: DataSource;
  /** The transaction in which the commands run, if any. */
  manager?: EntityManager;
  /** Reported changes that were not compared yet. */
  seen: ShippingMethodChange[];
  /** Called for each command that is run. */
  count: () => void;
  /** Lists and trees that clients have, with their ETags. */
  held: { path: string; etag: string; moment: string; body: unknown }[];
  /** The methods that open forms have loaded. */
  loaded: { project: string; etag: string; shown: Shown; origin: Method | undefined }[];
  /** The method that each ETag was first seen with. */
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

/** @param name of the compared values, for the message */
export function expectSame(name: string, actual: unknown, expected: unknown): void {
  expect({ [name]: withoutEtags(actual) }).toEqual({ [name]: expected });
}

/** Every committed change is reported once and in order, and no other change is. */
export function expectTold(model: ContractModel, { seen, manager }: Shops): void {
  const committed = manager ? [] : model.reported.splice(0);
  const reported = seen.splice(0);
  expectSame('reported changes', reported, committed);
}

const projects = ['A', 'B', 'defaults'];
const project = fc.constantFrom(0, 0, 0, 1, 2, 2);
const ways = ['Fastify', 'Express', 'a service', 'a service of the other host'] as const;
/** In a transaction every command calls a service. */
const way = fc.constantFrom(...ways);

/** A command that is run over HTTP or by a service. */
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

/** A command that only the services have. */
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

/** The method of the project at this index, modulo their number. */
export function methodAt(model: ContractModel, owner: string, index: number): Method | undefined {
  const own = model.of(owner);
  return own[index % Math.max(own.length, 1)];
}

/** Reads, sometimes with the ETag of an earlier read, and compares the response with the model. */
export async function expectRead(
  path: string,
  read: (held?: string) => Promise<CallerResponse>,
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
