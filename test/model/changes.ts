import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { type UpsertShippingMethodRequest } from 'nestjs-shipping';
import { expect } from 'vitest';
import { type Guard, type CallerResponse, ServiceCaller } from './callers.js';
import { command, expectSame, methodAt, serviceCommand, type Shops } from './command.js';
import {
  type ContractModel,
  inheritable,
  type Method,
  type Outcome,
  type Shown,
  type Sent,
} from './contract-model.js';
import { etagOf, expectStrong, withoutEtags } from './etags.js';
import { codes, label, meta } from './values.js';

const useDefault = fc.oneof(fc.constantFrom(true, true, false), fc.shuffledSubarray([...inheritable]));

const sent: fc.Arbitrary<Sent> = fc.record(
  {
    ...codes,
    method_label: label,
    carrier_label: fc.option(label),
    is_active: fc.option(fc.boolean()),
    sort_order: fc.option(fc.integer({ min: -2, max: 2 })),
    meta: fc.option(meta),
    use_default: fc.option(useDefault),
  } satisfies {
    [Field in Exclude<keyof UpsertShippingMethodRequest, 'id' | 'etag'>]-?: fc.Arbitrary<Sent[Field]>;
  },
  { requiredKeys: ['carrier_code', 'method_code', 'method_label'] },
);

const nth = fc.nat({ max: 30 });

const edit = fc.constantFrom<Partial<Sent>>(
  {},
  { sort_order: 1 },
  { method_label: 'zz' },
  { is_active: true },
  { is_active: false },
  { use_default: false },
  { use_default: undefined },
  { use_default: ['meta', 'method_label'] },
);

/** The request of a form that has loaded this method: everything except the fields that only responses have. */
function formOf(shown: Method & Partial<Shown>, change: Partial<Sent>): Sent {
  const { id: _id, project_id: _project, version: _version, created_at: _created, ...rest } = shown;
  const { updated_at: _updated, inherited: _inherited, own: _own, ...form } = rest;
  return { ...form, ...change };
}

const create = command('create', sent, async (body, { model, shop, shops }) => {
  const outcome = model.create(shop.project, body);

  const response = await shop.create(body);

  expectOutcome(model, outcome, response, undefined, shop.project, shops);
});

/** Creates an existing method again, with the same values or with one changed. */
const again = command(
  'create again',
  fc.record({ index: nth, change: edit, asShown: fc.boolean() }),
  async ({ index, change, asShown }, { model, shop, shops }) => {
    const stored = methodAt(model, shop.project, index);
    if (!stored) return;
    const body = formOf(asShown ? model.shown(stored) : stored, change);
    const outcome = model.create(shop.project, body);

    const response = await shop.create(body);

    expectOutcome(model, outcome, response, undefined, shop.project, shops);
  },
);

/** Creates a method that inherits, and its default. */
const inherit = command(
  'inherit',
  fc.record({ own: sent, origin: sent, use_default: useDefault }),
  async ({ own, origin, use_default }, { model, shop, shops, at }) => {
    const { carrier_code, method_code } = own;
    for (const [each, body] of [
      [at(model.defaultsProject), { ...origin, carrier_code, method_code }],
      [shop, { ...own, use_default }],
    ] as const) {
      const outcome = model.create(each.project, body);

      const response = await each.create(body);

      expectOutcome(model, outcome, response, undefined, each.project, shops);
    }
  },
);

const upsert = serviceCommand('upsert', sent, async (body, { model, shop, shops }) => {
  const stored = model.withCodes(shop.project, body);
  const outcome = stored ? model.update(shop.project, stored.id, body) : model.create(shop.project, body);

  const response = await shop.upsert(body);

  const status = response.status < 300 ? (stored ? 200 : 201) : response.status;
  expectOutcome(model, outcome, { ...response, status }, stored, shop.project, shops);
});

const ifMatch = fc.option(fc.constantFrom('current', 'old', 'list', 'weak', '*'), { freq: 2 });

/** The value of the header, and the versions that it allows. */
function guardOf(kind: string | null, version: number): Guard {
  if (kind === null) return {};
  if (kind === '*') return { header: '*' };
  const tags: Record<string, [string, number[]]> = {
    current: [`"${version}"`, [version]],
    old: [`"${version - 1}"`, [version - 1]],
    list: [`"x", "${version + 5}", "${version}"`, [version + 5, version]],
    weak: [`W/"${version}"`, []],
  };
  const [header = '', versions = []] = tags[kind] ?? [];
  return { header, versions };
}

/** Sometimes a method of another tenant, which must not be found. */
const target = fc.record({ index: nth, isForeign: fc.constantFrom(...Array<boolean>(7).fill(false), true) });

function targetOf(
  { index, isForeign }: { index: number; isForeign: boolean },
  model: ContractModel,
  project: string,
  { projects }: Shops,
): Method | undefined {
  const owner = isForeign ? projects.find((other) => other !== project) : project;
  return methodAt(model, owner ?? project, index);
}

const update = command(
  'update',
  fc.record({ target, body: sent, ifMatch }),
  async (input, { model, shop, shops }) => {
    const before = targetOf(input.target, model, shop.project, shops);
    if (!before) return;
    const guard = guardOf(input.ifMatch, before.version);
    const outcome = model.update(shop.project, before.id, input.body, guard.versions);

    const response = await shop.update(before.id, input.body, guard);

    expectOutcome(model, outcome, response, before, shop.project, shops);
  },
);

/** A form that sends back the current values, with at most one field changed. */
const form = command(
  'send back',
  fc.record({ index: nth, change: edit }),
  async ({ index, change }, { model, shop, shops }) => {
    const before = methodAt(model, shop.project, index);
    if (!before) return;
    const body = formOf(model.shown(before), change);
    const guard = guardOf('current', before.version);
    const outcome = model.update(shop.project, before.id, body, guard.versions);

    const response = await shop.update(before.id, body, guard);

    expectOutcome(model, outcome, response, before, shop.project, shops);
  },
);

/** Opens a form, which `send` sends later with the values it loaded. */
const open = serviceCommand('open', nth, async (index, { model, shop, shops }) => {
  const method = methodAt(model, shop.project, index);
  if (!method || shops.manager) return;

  const { body } = await shop.find(method.id);

  const [shown, origin] = [model.shown(method), model.originOf(method)];
  expectSame('found', body, shown);
  const etag = etagOf(body);
  if (etag !== undefined) shops.loaded.push({ project: shop.project, etag, shown, origin });
});

const send = command(
  'send',
  fc.record({ index: nth, change: edit }),
  async ({ index, change }, { model, shop, shops }) => {
    const own = shops.loaded.filter(({ project }) => project === shop.project);
    const loaded = own[index % Math.max(own.length, 1)];
    const before = model.of(shop.project).find(({ id }) => id === loaded?.shown.id);
    if (!loaded || !before || shop instanceof ServiceCaller) return;
    const isCurrent = isDeepStrictEqual(model.shown(before), loaded.shown);
    // The ETag may change when the default changes, even if no shown value does.
    if (isCurrent && !isDeepStrictEqual(model.originOf(before), loaded.origin)) return;
    const body = formOf(loaded.shown, change);
    // The ETag of a method that inherits nothing is only its version, which guards the stored values.
    const isAllowed = isCurrent || loaded.etag === `"${before.version}"`;
    const outcome = model.update(shop.project, before.id, body, isAllowed ? undefined : []);

    const response = await shop.update(before.id, body, { header: loaded.etag });

    expectOutcome(model, outcome, response, before, shop.project, shops);
  },
);

const remove = command('remove', fc.record({ target, ifMatch }), async (input, { model, shop, shops }) => {
  const before = targetOf(input.target, model, shop.project, shops);
  if (!before) return;
  const guard = guardOf(input.ifMatch, before.version);

  const { status, body } = await shop.remove(before.id, guard);

  const isOwn = before.project_id === shop.project;
  const isAllowed = guard.versions?.includes(before.version) ?? true;
  expectSame('status', status, !isOwn ? 404 : isAllowed ? 204 : 412);
  if (status !== 204) return;
  if (body !== undefined) expectSame('removed', body, model.shown(before));
  model.remove(before);
});

function expectOutcome(
  model: ContractModel,
  outcome: Outcome,
  { status, body: responded, etag }: CallerResponse,
  before: Method | undefined,
  project: string,
  { manager, states }: Shops,
): void {
  const body = withoutEtags(responded);
  if (outcome.is === 'missing')
    return expect([status, body]).toMatchObject([404, { code: 'method_not_found' }]);
  if (outcome.is === 'mismatch') {
    return expect([status, body]).toMatchObject([412, { current_version: outcome.version }]);
  }
  if (outcome.is === 'full') {
    const refused = { code: 'too_many_methods', max_methods: outcome.bound };
    return expect([status, body]).toMatchObject([409, refused]);
  }
  if (outcome.is === 'duplicate') {
    const identical = before ? {} : { identical: outcome.isIdentical };
    return expect([status, body]).toMatchObject([409, { existing_id: outcome.of.id, ...identical }]);
  }
  const { id, created_at, updated_at } = body as Method;
  expect([status, body]).toMatchObject([before ? 200 : 201, { id: before?.id ?? id }]);
  if (!manager) expectStrong(responded, states);
  if (before && outcome.is === 'updated' && !outcome.isChanged) {
    expect(body).toEqual(model.shown(before));
    return;
  }
  const version = (before?.version ?? 0) + 1;
  const method = { ...outcome.values, id, project_id: project, version, created_at, updated_at };
  if (before) expect(created_at).toBe(before.created_at);
  expect(Date.parse(updated_at)).toBeGreaterThanOrEqual(Date.parse(before?.updated_at ?? created_at));
  model.keep(method);
  const shown = model.shown(method);
  expect(body).toEqual(shown);
  if (etag === undefined || model.originOf(method)) return;
  const waits = shown.use_default && project !== model.defaultsProject;
  expect(etag).toBe(waits ? `"${version}-none"` : `"${version}"`);
}

export const changes = [
  create,
  create,
  again,
  inherit,
  inherit,
  upsert,
  update,
  update,
  form,
  open,
  send,
  remove,
];
