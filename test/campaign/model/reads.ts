import fc from 'fast-check';
import { command, expectRead, expectSame, methodAt, serviceCommand } from './command.js';
import { type ContractModel, type Presented } from './contract-model.js';
import { inOrder, listed, treeOf } from './list-model.js';
import { pathOf } from './list-path.js';
import { oneParameter, query, settledIn } from './list-queries.js';

const remembered = fc.nat({ max: 5 });
const presented = (model: ContractModel, project: string): Presented[] =>
  model.of(project).map((method) => model.present(method));

/** A list, and then the same with one parameter changed: what was made for the one is not sent for the other. */
const list = command(
  'list',
  fc.record({ asked: query, change: oneParameter, isBracketed: fc.boolean(), remembered }),
  async ({ asked, change, isBracketed, remembered: etag }, context) => {
    const { model, shop } = context;
    for (const each of [asked, { ...asked, ...change }]) {
      const settled = settledIn(model, shop.project, each);
      const expected = listed(presented(model, shop.project), settled);
      const path = `${shop.project} ${pathOf(settled, isBracketed)}`;
      await expectRead(path, (held) => shop.list(settled, isBracketed, held), expected, etag, context);
    }
  },
);

const wholeList = command('list all', remembered, async (etag, context) => {
  const { model, shop } = context;
  const all = listed(presented(model, shop.project), {});
  await expectRead(`${shop.project} list`, (held) => shop.list({}, false, held), all, etag, context);
});

const tree = command('tree', remembered, async (etag, context) => {
  const { model, shop } = context;
  const whole = treeOf(presented(model, shop.project));
  await expectRead(`${shop.project} tree`, (held) => shop.tree(held), whole, etag, context);
});

const findActive = serviceCommand('findActive', fc.constant(null), async (_, { model, shop }) => {
  const active = presented(model, shop.project).filter(({ is_active }) => is_active);

  const { body } = await shop.findActive();

  expectSame('active', body, inOrder(active));
});

/** By its id and by its codes, as its own project and another one see it. */
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
    if (isOwn) expectSame('by id', byId.body, model.present(method));
    expectSame('by codes', byCodes.body, withCodes ? model.present(withCodes) : null);
  },
);

export const reads = [list, list, list, wholeList, tree, tree, findActive, find];
