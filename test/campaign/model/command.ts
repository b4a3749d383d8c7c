import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Client } from '../../support/client.js';
import { type ContractModel, type Method } from './contract-model.js';
import { type Histories } from './histories.js';

/** The library under attack, as one run of commands sees it. */
export interface Shops {
  /** Another one in each run, where no fresh project keeps runs apart. */
  run: number;
  /** Two tenants, then the project of their defaults. */
  clients: readonly Client[];
  /** Commands that were carried out. */
  count: () => void;
  histories: Histories;
  etags: { path: string; etag: string; moment: string; body: unknown }[];
}

type Perform = (model: ContractModel, client: Client, shops: Shops) => Promise<void>;

class Command implements fc.AsyncCommand<ContractModel, Shops> {
  constructor(
    private readonly title: string,
    private readonly client: number,
    private readonly perform: Perform,
  ) {}

  check(): boolean {
    return true;
  }

  async run(model: ContractModel, shops: Shops): Promise<void> {
    const client = shops.clients[this.client];
    if (!client) throw new Error(`There is no client ${this.client}.`);
    shops.count();
    await this.perform(model, client, shops);
  }

  toString(): string {
    return `${['A', 'B', 'defaults'][this.client]}: ${this.title}`;
  }
}

const client = fc.constantFrom(0, 0, 0, 1, 2, 2);

export function command<Input>(
  name: string,
  input: fc.Arbitrary<Input>,
  perform: (input: Input, ...context: Parameters<Perform>) => Promise<void>,
): fc.Arbitrary<Command> {
  return fc
    .tuple(client, input)
    .map(
      ([index, given]) =>
        new Command(`${name} ${JSON.stringify(given)}`, index, (...context) => perform(given, ...context)),
    );
}

/** Some method of the project. */
export function methodAt(model: ContractModel, project: string, index: number): Method | undefined {
  const own = model.of(project);
  return own[index % Math.max(own.length, 1)];
}

/** A read, and its second one with the tag of the first: what has not changed is not sent again. */
export async function expectRead(
  path: string,
  expected: object,
  model: ContractModel,
  shop: Client,
  { etags }: Shops,
  remembered: number,
): Promise<void> {
  const moment = model.momentOf(shop.project);
  const known = etags.filter((etag) => etag.path === path);
  const held = known[remembered % Math.max(known.length, 1)];

  const answer = await shop.send('GET', path, undefined, held ? { 'if-none-match': held.etag } : {});

  if (held?.moment === moment) expect(answer.status).toBe(304);
  if (answer.status === 304) {
    expect(isDeepStrictEqual(held?.body, expected)).toBe(true);
    return;
  }
  expect([answer.status, answer.body]).toEqual([200, expected]);
  etags.push({ path, etag: answer.headers.get('etag') ?? '', moment, body: answer.body });
}
