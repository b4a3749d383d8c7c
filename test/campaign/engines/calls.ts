import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { type RecordOrderEvent, type ShippingException, type ShippingMethodDto } from 'nestjs-shipping';
import { type EntityManager } from 'typeorm';
import { Client } from '../../support/client.js';
import { pathOf } from '../model/list-path.js';
import { filledIn, noId, query } from './queries.js';
import { type Shop } from './shop.js';
import {
  body,
  carrierCode,
  edit,
  meta,
  methodCode,
  refusedBody,
  searchedFields,
  searchedText,
} from './values.js';

/** The same call on any engine. */
export class Call {
  constructor(
    private readonly title: string,
    /** How many calls it is: a transaction has several. */
    readonly count: number,
    /** @returns the answer, in which ids, times and ETags have names */
    readonly run: (shop: Shop) => Promise<unknown>,
  ) {}

  toString(): string {
    return this.title;
  }
}

/** By default the first tenant, most of the time. */
const project = fc.constantFrom(0, 0, 0, 1, 2, 2);
const viaHttp = fc.boolean();

interface Given<Input> {
  project: string;
  viaHttp: boolean;
  input: Input;
}

function call<Input>(
  name: string,
  input: fc.Arbitrary<Input>,
  run: (shop: Shop, given: Given<Input>) => Promise<unknown>,
): fc.Arbitrary<Call> {
  return fc.tuple(project, viaHttp, input).map(([index, isHttp, given]) => {
    const title = `${'AB*'[index]} ${name}${isHttp ? ' over HTTP' : ''} ${JSON.stringify(given)}`;
    return new Call(title, 1, (shop) =>
      run(shop, { project: shop.project(index), viaHttp: isHttp && !shop.manager, input: given }),
    );
  });
}

/** Changes have times that differ, so that all engines order them in the same way. */
async function changed(answer: Promise<unknown>): Promise<unknown> {
  const given = await answer;
  await delay(2);
  return given;
}

/** Another build of the package has a class of its own for it. */
function isRefusal(error: unknown): error is ShippingException {
  return error instanceof Error && 'problem' in error;
}

async function served(shop: Shop, work: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: shop.named(await work) };
  } catch (error) {
    if (!isRefusal(error) || error.problem.status >= 500) throw error;
    return { refused: error.constructor.name, problem: shop.named(error.problem) };
  }
}

async function sent(
  shop: Shop,
  owner: string,
  method: string,
  path: string,
  given?: unknown,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const client = new Client(shop.host.origin, owner);
  const answer = await client.send<{ id?: string }>(method, `${client.base}${path}`, given, headers);
  const { status, text, body: json } = answer;
  if (status >= 500) throw new Error(`${status} for ${method} ${path}: ${text}`);
  const read = shop.named(json);
  const etag = answer.headers.get('etag');
  if (method === 'GET' && etag) shop.held.set(path, [...(shop.held.get(path) ?? []), etag]);
  const isMethods = method !== 'GET';
  return {
    status,
    body: read,
    etag: isMethods ? shop.named({ etag: etag ?? 'none' }) : shop.tag(`${owner} ${path}`, etag),
    location: shop.named(answer.headers.get('location')),
    type: answer.headers.get('content-type'),
  };
}

const methodsPath = '/shipments/methods';
const options = ({ manager }: Shop) => (manager ? { manager } : {});

const create = call('create', body, (shop, { project: owner, viaHttp: isHttp, input }) =>
  changed(
    isHttp
      ? sent(shop, owner, 'POST', methodsPath, input)
      : served(shop, shop.methods.create(owner, input, options(shop))),
  ),
);

/** A default, and a method that inherits from it. */
const inherit = call(
  'inherit',
  fc.tuple(body, body),
  async (shop, { project: owner, input: [own, origin] }) => {
    const { carrier_code, method_code } = own;
    const made = shop.methods.create(
      shop.project(2),
      { ...origin, carrier_code, method_code },
      options(shop),
    );
    const first = await changed(served(shop, made));
    const second = shop.methods.create(owner, { ...own, use_default: true }, options(shop));
    return [first, await changed(served(shop, second))];
  },
);

const refused = call('create', refusedBody, (shop, { project: owner, viaHttp: isHttp, input }) =>
  isHttp
    ? sent(shop, owner, 'POST', methodsPath, input)
    : served(shop, shop.methods.create(owner, input as never, options(shop))),
);

const upsert = call('upsert', body, (shop, { project: owner, input }) =>
  changed(served(shop, shop.methods.upsert(owner, input, options(shop)))),
);

const guards = fc.constantFrom(
  null,
  null,
  null,
  'current',
  'version',
  'old',
  'other',
  'list',
  'weak',
  '*',
  'malformed',
);
const target = fc.record({
  index: fc.nat({ max: 30 }),
  isForeign: fc.constantFrom(...Array<boolean>(7).fill(false), true),
  isNone: fc.constantFrom(...Array<boolean>(15).fill(false), true),
});

function idOf(
  shop: Shop,
  owner: string,
  { index, isForeign, isNone }: { index: number; isForeign: boolean; isNone: boolean },
): string {
  const found = shop.method(isForeign ? (shop.projects.find((each) => each !== owner) ?? '') : owner, index);
  return isNone || !found ? (index % 2 ? noId : 'no-id') : index % 5 ? found.id : found.id.toUpperCase();
}

/** The header, and its members for the services, which know no `*`. */
function guardOf(shop: Shop, id: string, kind: string | null): { header?: string; etags?: string[] } {
  const known = shop.known.get(id.toLowerCase());
  const { etag = '"1"', version = 1 } = known ?? {};
  const [other] = [...shop.known.values()];
  if (kind === null) return {};
  if (kind === '*') return { header: '*' };
  const tags: Record<string, string[]> = {
    current: [etag],
    version: [`"${version}"`],
    old: [`"${version - 1}"`],
    other: [other?.etag ?? '"7"'],
    list: [`"x"`, `"${version + 5}"`, etag],
    weak: [`W/${etag}`],
    malformed: ['abc'],
  };
  const etags = tags[kind] ?? [];
  return { header: etags.join(', '), etags };
}

function change(
  shop: Shop,
  given: Given<{ guard: string | null }>,
  id: string,
  form: object,
): Promise<unknown> {
  const { header, etags } = guardOf(shop, id, given.input.guard);
  if (given.viaHttp) {
    const headers: Record<string, string> = header === undefined ? {} : { 'if-match': header };
    return changed(sent(shop, given.project, 'PATCH', `${methodsPath}/${id}`, form, headers));
  }
  const made = shop.methods.update(given.project, id, form as never, { ...options(shop), etags });
  return changed(served(shop, made));
}

const update = call('update', fc.record({ target, body, guard: guards }), (shop, given) =>
  change(shop, given, idOf(shop, given.project, given.input.target), given.input.body),
);

const tagOfForm = fc.constantFrom(null, 'current', 'current');

/** A form that sends back what it has loaded, with something changed. */
const form = call(
  'send back',
  fc.record({ index: fc.nat({ max: 30 }), edit, guard: tagOfForm }),
  (shop, given) => {
    const loaded = shop.method(given.project, given.input.index);
    if (!loaded) return Promise.resolve(null);
    return change(shop, given, loaded.id, { ...formOf(loaded), ...given.input.edit });
  },
);

/** Creates what is there already, as it is shown or as it is stored. */
const again = call(
  'create again',
  fc.record({ index: fc.nat({ max: 30 }), edit: fc.oneof(fc.constant({}), edit), asStored: fc.boolean() }),
  (shop, { project: owner, input: { index, edit: edited, asStored } }) => {
    const loaded = shop.method(owner, index);
    if (!loaded) return Promise.resolve(null);
    const own = { ...formOf(loaded), ...(asStored && loaded.own), ...edited };
    return changed(served(shop, shop.methods.create(owner, own, options(shop))));
  },
);

function formOf(method: ShippingMethodDto) {
  const { id: _id, project_id: _project, version: _version, etag: _etag, ...rest } = method;
  const { created_at: _created, updated_at: _updated, inherited: _inherited, own: _own, ...sentBack } = rest;
  return sentBack;
}

const remove = call('remove', fc.record({ target, guard: guards }), (shop, given) => {
  const id = idOf(shop, given.project, given.input.target);
  const { header, etags } = guardOf(shop, id, given.input.guard);
  if (given.viaHttp) {
    const headers: Record<string, string> = header === undefined ? {} : { 'if-match': header };
    return changed(sent(shop, given.project, 'DELETE', `${methodsPath}/${id}`, undefined, headers));
  }
  return changed(served(shop, shop.methods.remove(given.project, id, { ...options(shop), etags })));
});

const find = call('find', target, (shop, { project: owner, input }) =>
  served(shop, shop.methods.find(owner, idOf(shop, owner, input), options(shop))),
);

const oddCode = fc.oneof(searchedText, fc.constantFrom('a\u0000', 'e\u0301'));
const findByCodes = call(
  'findByCodes',
  fc.tuple(
    fc.oneof({ weight: 4, arbitrary: carrierCode }, oddCode),
    fc.oneof({ weight: 4, arbitrary: methodCode }, oddCode),
  ),
  (shop, { project: owner, input }) => served(shop, shop.methods.findByCodes(owner, ...input, options(shop))),
);

/** The `If-None-Match` of a read: one that the client has, `*`, or none. */
const remembered = fc.option(fc.nat({ max: 5 }), { freq: 2 });

function heldBy(shop: Shop, path: string, index: number | null): Record<string, string> {
  const held = shop.held.get(path) ?? [];
  if (index === null) return {};
  return { 'if-none-match': index === 5 ? '*' : (held[index % Math.max(held.length, 1)] ?? '"none"') };
}

const list = call(
  'list',
  fc.record({ query, isBracketed: fc.boolean(), remembered }),
  (shop, { project: owner, viaHttp: isHttp, input }) => {
    const filled = filledIn(input.query, (text) => filledText(shop, owner, text));
    if (!isHttp) return served(shop, shop.methods.list(owner, filled as never, options(shop)));
    const path = pathOf(filled, input.isBracketed);
    return sent(shop, owner, 'GET', path, undefined, heldBy(shop, path, input.remembered));
  },
);

/** Most lists are empty or whole, so there are many of them. */
const lists = fc.array(list, { minLength: 1, maxLength: 8, size: 'max' }).map(
  (each) =>
    new Call(each.join('; '), each.length, async (shop) => {
      const answers: unknown[] = [];
      for (const one of each) answers.push(await one.run(shop));
      return answers;
    }),
);

const placeholder = /\{(id|created|updated|text|upper|lower):(\d)(?::(\d*))?(?::(\d):(\d+))?\}/g;

function filledText(shop: Shop, owner: string, text: string): string {
  return text.replaceAll(placeholder, (_, name: string, index: string, detail = '', from = 0, to = 0) => {
    const method = shop.method(owner, Number(index));
    if (name === 'id') return method?.id ?? noId;
    if (name === 'created' || name === 'updated')
      return (method?.[`${name}_at`] ?? '2001-01-01T00:00:00.000Z').replace('Z', `${detail}Z`);
    const field = searchedFields[Number(detail)] ?? 'method_label';
    const part = Array.from(method?.[field] ?? 'x')
      .slice(Number(from), Number(to))
      .join('');
    return name === 'text' ? part : name === 'upper' ? part.toUpperCase() : part.toLowerCase();
  });
}

const wholeList = call('list all', remembered, (shop, { project: owner, viaHttp: isHttp, input }) =>
  isHttp
    ? sent(shop, owner, 'GET', methodsPath, undefined, heldBy(shop, methodsPath, input))
    : served(shop, shop.methods.list(owner, {}, options(shop))),
);

const tree = call('tree', remembered, (shop, { project: owner, viaHttp: isHttp, input }) => {
  const path = `${methodsPath}/tree`;
  return isHttp
    ? sent(shop, owner, 'GET', path, undefined, heldBy(shop, path, input))
    : served(shop, shop.methods.tree(owner, options(shop)));
});

const findActive = call('findActive', fc.constant(null), (shop, { project: owner }) =>
  served(shop, shop.methods.findActive(owner, options(shop))),
);

const order = fc.constantFrom('o-1', 'o-1', 'o-2');
/** Some are refused. */
const times = [
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.0004Z', '0001-01-01T00:00:00+00:01', '0000-12-31T23:59:59Z'],
  [
    '9999-12-31T23:59:59.9999Z',
    '9999-12-31T23:59:59.999999999Z',
    '1582-10-10T00:00:00Z',
    '1900-02-29T00:00:00Z',
  ],
  ['1969-12-31T23:59:59.9995Z', '2001-02-03T04:05:06.7894999+05:30', '2001-02-03T04:05:06.7895-05:30'],
  ['2026-03-29T02:30:00.001+01:00', '2038-01-19T03:14:08Z', '2001-02-03t04:05:06z', 'yesterday'],
  [null, new Date(0), new Date(NaN)],
].flat();
const occurredAt = fc.oneof(
  fc.constantFrom(...times),
  fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  }),
);

const entry: fc.Arbitrary<Omit<RecordOrderEvent, 'projectId'>> = fc.record(
  {
    orderId: order,
    type: fc.constantFrom(
      'order.placed',
      'order.placed',
      'my_app.odd_thing.happened',
      'a.b',
      'a.b',
      'a.b',
      'Bad',
    ),
    message: fc.option(
      fc.oneof(searchedText, fc.constantFrom('', '😀'.repeat(1000), 'x\n\u2028\\"', 'a\u0000')),
    ),
    data: fc.option(meta),
    actor: fc.option(
      fc.record({
        type: fc.constantFrom('user', 'system'),
        id: fc.option(searchedText),
        label: fc.option(searchedText),
      }),
    ) as fc.Arbitrary<RecordOrderEvent['actor']>,
    occurredAt,
    dedupeKey: fc.constantFrom(
      'k',
      'k',
      'K',
      'k ',
      ' k',
      'é',
      'e\u0301',
      '😀'.repeat(128),
      "'",
      '\\',
      null,
      null,
      '',
    ),
  },
  { requiredKeys: ['orderId', 'type'] },
);

const record = call('record', entry, (shop, { project: owner, input }) =>
  changed(served(shop, shop.events.record({ ...input, projectId: owner }, options(shop)))),
);

/** More than the events of a batch, many of them at one time. */
const history = call('record 203 events', fc.constant(null), async (shop, { project: owner }) => {
  for (let n = 0; n < 203; n++) {
    const at = `2001-01-0${1 + (n % 2)}T00:00:00Z`;
    const event = {
      projectId: owner,
      orderId: 'o-long',
      type: 'a.b' as const,
      message: `${n}`,
      occurredAt: at,
    };
    await shop.events.record(event, options(shop));
  }
  return served(shop, shop.events.list(owner, 'o-long', options(shop)));
});

const events = call('events', fc.constantFrom('o-1', 'o-1', 'o-2', 'o-3', 'o-long'), (shop, given) =>
  given.viaHttp
    ? sent(shop, given.project, 'GET', `/${given.input}/events`)
    : served(shop, shop.events.list(given.project, given.input, options(shop))),
);

const changes = [create, create, inherit, upsert, update, form, again, remove];
const reads = [lists, lists, lists, wholeList, tree, findActive, find, findByCodes];
const single = fc.oneof(...changes, ...reads, record, record, events, refused);

class RolledBack extends Error {}

/** Calls in a transaction of the caller, or in a nested one, that is committed or rolled back. */
function transaction(steps: readonly Call[], isKept: boolean): Call {
  const title = `in a transaction {\n    ${steps.join('\n    ')}\n  } ${isKept ? 'committed' : 'rolled back'}`;
  const count = steps.reduce((sum, step) => sum + step.count, 0);
  return new Call(title, count, async (shop) => {
    const outer = shop.manager;
    const forget = shop.savepoint();
    const answers: unknown[] = [];
    const work = async (manager: EntityManager): Promise<void> => {
      shop.manager = manager;
      for (const step of steps) answers.push(await step.run(shop));
      if (!isKept) throw new RolledBack();
    };
    try {
      await (outer ?? shop.dataSource.manager).transaction(work);
    } catch (error) {
      if (!(error instanceof RolledBack)) throw error;
      forget();
    } finally {
      shop.manager = outer;
    }
    return answers;
  });
}

function transactionOf(part: fc.Arbitrary<Call>, maxLength: number): fc.Arbitrary<Call> {
  return fc
    .record({
      steps: fc.array(part, { minLength: 1, maxLength, size: 'max' }),
      isKept: fc.constantFrom(true, true, false),
    })
    .map(({ steps, isKept }) => transaction(steps, isKept));
}

const inner = transactionOf(single, 4);
const outer = transactionOf(fc.oneof({ weight: 3, arbitrary: single }, { weight: 1, arbitrary: inner }), 8);

const first = fc.array(fc.oneof(create, inherit), { minLength: 2, maxLength: 5, size: 'max' });
const any = fc.oneof(
  { weight: 200, arbitrary: single },
  { weight: 20, arbitrary: outer },
  { weight: 1, arbitrary: history },
);

export const calls = fc
  .tuple(first, fc.array(any, { maxLength: 80, size: 'max' }))
  .map(([made, more]) => [...made, ...more]);
