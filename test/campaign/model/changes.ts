import fc from 'fast-check';
import { expect } from 'vitest';
import { type Answer, type Client } from '../../support/client.js';
import { command, methodAt, type Shops } from './command.js';
import { type ContractModel, type Method, type Outcome, type Sent } from './contract-model.js';

const label = fc.constantFrom(
  'UPS Ground',
  'ups ground',
  ' Élan 50% ',
  'E\u0301lan_50',
  'Ж\\d',
  '字😀',
  'zz',
);
const sent: fc.Arbitrary<Sent> = fc.record(
  {
    carrier_code: fc.constantFrom('ups', 'UPS', 'dhl', 'é'),
    method_code: fc.constantFrom('03', '3', 'Z z', '字'),
    method_label: label,
    carrier_label: fc.option(label),
    is_active: fc.option(fc.boolean()),
    sort_order: fc.option(fc.integer({ min: -2, max: 2 })),
    meta: fc.option(fc.constantFrom({}, { a: 1 }, { b: [1, { c: null }], a: 1 }, { é: 1.5 })),
    use_default: fc.option(fc.constantFrom(true, true, false)),
  },
  { requiredKeys: ['carrier_code', 'method_code', 'method_label'] },
);

const nth = fc.nat({ max: 30 });

const create = command('create', sent, async (body, model, shop) => {
  const outcome = model.create(shop.project, body);

  const answer = await shop.create(body);

  expectOutcome(model, outcome, answer, undefined, shop.project);
});

/** An etag that was loaded is sent as it was, however old it is by now. */
const ifMatch = fc.option(fc.constantFrom('current', 'loaded', 'version', 'old', 'list', 'weak', '*'), {
  freq: 3,
});

/** What the header says, and the entity-tags it allows. */
function guard(
  kind: string | null,
  model: ContractModel,
  method: Method,
): { headers: Record<string, string>; etags?: string[] } {
  if (kind === null) return { headers: {} };
  if (kind === '*') return { headers: { 'if-match': '*' } };
  const { version, etag } = model.present(method);
  const tags: Record<string, string[]> = {
    current: [etag],
    loaded: [model.loaded.get(method.id) ?? etag],
    version: [`"${version}"`],
    old: [`"${version - 1}"`],
    list: ['"x"', `"${version + 5}"`, '"9999999999"', etag],
    weak: [`W/${etag}`],
  };
  const etags = tags[kind] ?? [];
  return { headers: { 'if-match': etags.join(', ') }, etags };
}

/** Another tenant's method now and then: it is not there. */
const target = fc.record({ index: nth, isForeign: fc.constantFrom(...Array<boolean>(7).fill(false), true) });

function targetOf(
  { index, isForeign }: { index: number; isForeign: boolean },
  model: ContractModel,
  { project }: Client,
  { clients }: Shops,
): Method | undefined {
  const owner = isForeign ? clients.find((other) => other.project !== project)?.project : project;
  return methodAt(model, owner ?? project, index);
}

const update = command(
  'update',
  fc.record({ target, body: sent, ifMatch }),
  async (input, model, shop, shops) => {
    const before = targetOf(input.target, model, shop, shops);
    if (!before) return;
    const { headers, etags } = guard(input.ifMatch, model, before);
    const outcome = model.update(shop.project, before.id, input.body, etags);

    const answer = await shop.update(before.id, input.body, headers);

    expectOutcome(model, outcome, answer, before, shop.project);
  },
);

/** A form: it sends back what it loaded, but for one field. */
const form = command(
  'send back',
  fc.record({
    index: nth,
    change: fc.constantFrom({}, { sort_order: 1 }, { method_label: 'zz' }, { use_default: false }),
    codes: fc.boolean(),
  }),
  async ({ index, change }, model, shop) => {
    const before = methodAt(model, shop.project, index);
    if (!before) return;
    const {
      id,
      project_id: _project,
      version: _version,
      etag,
      created_at: _created,
      updated_at: _updated,
      inherited: _inherited,
      own: _own,
      ...loaded
    } = model.present(before);
    const body = { ...loaded, ...change };
    const outcome = model.update(shop.project, id, body, [etag]);

    const answer = await shop.update(id, body, { 'if-match': etag });

    expectOutcome(model, outcome, answer, before, shop.project);
  },
);

const remove = command('remove', fc.record({ target, ifMatch }), async (input, model, shop, shops) => {
  const before = targetOf(input.target, model, shop, shops);
  if (!before) return;
  const { headers, etags } = guard(input.ifMatch, model, before);

  const answer = await shop.remove(before.id, headers);

  const isOwn = before.project_id === shop.project;
  const isAllowed = model.allows(before, etags);
  expectStatus(answer, !isOwn ? 404 : isAllowed ? 204 : 412);
  if (answer.status === 204) model.remove(shop.project, before.id);
});

function expectStatus({ status }: Answer<unknown>, expected: number): void {
  expect(status).toBe(expected);
}

function expectOutcome(
  model: ContractModel,
  outcome: Outcome,
  { status, body, headers }: Answer<unknown>,
  before: Method | undefined,
  project: string,
): void {
  if (outcome.is === 'missing')
    return expect([status, body]).toMatchObject([404, { code: 'method_not_found' }]);
  if (outcome.is === 'mismatch') {
    return expect([status, body]).toMatchObject([412, { current_version: outcome.version }]);
  }
  if (outcome.is === 'duplicate') {
    const identical = before ? {} : { identical: outcome.isIdentical };
    return expect([status, body]).toMatchObject([409, { existing_id: outcome.of.id, ...identical }]);
  }
  const { id, created_at, updated_at } = body as Method;
  expect(status).toBe(before ? 200 : 201);
  if (before && outcome.is === 'updated' && !outcome.isChanged) {
    expect(body).toEqual(model.present(before));
    return;
  }
  const version = (before?.version ?? 0) + 1;
  const method = { ...outcome.values, id, project_id: project, version, created_at, updated_at };
  if (before) expect([id, created_at]).toEqual([before.id, before.created_at]);
  expect(Date.parse(updated_at)).toBeGreaterThanOrEqual(Date.parse(before?.updated_at ?? created_at));
  model.keep(method);
  const presented = model.present(method);
  model.loaded.set(id, presented.etag);
  expect(body).toEqual(presented);
  expect(headers.get('etag')).toBe(presented.etag);
}

export const changes = [create, create, update, update, form, remove];
