import fc from 'fast-check';
import { command, expectRead, expectSame, methodAt, serviceCommand } from './command.js';
import { type ContractModel, type Shown } from './contract-model.js';
import { inOrder, listed, treeOf } from './list-model.js';
import { pathOf } from './list-path.js';
import { oneParameter, query, filledIn } from './list-queries.js';

const remembered = fc.nat({ max: 5 });
const shown = (model: ContractModel, project: string): Shown[] =>
  model.of(project).map((method) => model.shown(method));

/** A list, and then the same list with one parameter changed, so that the cache must keep the two apart. */
const list = command(
  'list',
  fc.record({ asked: query, change: oneParameter, isBracketed: fc.boolean(), remembered }),
  async ({ asked, change, isBracketed, remembered: etag }, context) => {
    const { model, shop } = context;
    for (const each of [asked, { ...asked, ...change }]) {
      const filled = filledIn(model, shop.project, each);
      const expected = listed(shown(model, shop.project), filled);
      const path = `${shop.project} ${pathOf(filled, isBracketed)}`;
      await expectRead(path, (held) => shop.list(filled, isBracketed, held), expected, etag, context);
    }
  },
);

const wholeList = command('list all', remembered, async (etag, context) => {
  const { model, shop } = context;
  const all = listed(shown(model, shop.project), {});
  await expectRead(`${shop.project} list`, (held) => shop.list({}, false, held), all, etag, context);
});

const tree = command('tree', remembered, async (etag, context) => {
  const { model, shop } = context;
  const whole = treeOf(shown(model, shop.project));
  await expectRead(`${shop.project} tree`, (held) => shop.tree(held), whole, etag, context);
});

const findActive = serviceCommand('findActive', fc.constant(null), async (_, { model, shop }) => {
  const active = shown(model, shop.project).filter(({ is_active }) => is_active);

  const { body } = await shop.findActive();

  expectSame('active', body, inOrder(active));
});

/** Finds a method by its id and by its codes, in its own project and in another one. */
const find = serviceCommand(
  'find',
  fc.record({ index: fc.nat({ max: 30 }), owner: fc.nat({ max: 2 }) }),
  async ({ index, owner }, { model, shop, shops }) => {
    const method = methodAt(model, shops.projects[owner] ?? '', index);
    if (!method) return;
    const withCodes = model.withCodes(shop.project, method);
    const isOwn = method.project_id === shop.project;

    const byId = await shop.find(method.id);
    const byCodes = await shop.findByCodes(method.carrier_code, method.method_code);

    expectSame('status', byId.status, isOwn ? 200 : 404);
    if (isOwn) expectSame('by id', byId.body, model.shown(method));
    expectSame('by codes', byCodes.body, withCodes ? model.shown(withCodes) : null);
  },
);

export const reads = [list, list, list, wholeList, tree, tree, findActive, find];
