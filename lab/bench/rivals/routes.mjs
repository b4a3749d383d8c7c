// The routes of the bare rivals. Each rival passes the statements of its engine. A row has the fields of the wire.
import Fastify from 'fastify';

const none = [];
const nothing = {};
const method = (row) => Object.assign(row, { inherited: none, own: nothing });

const orders = '/api/projects/:project/sales/orders';
const methods = `${orders}/shipments/methods`;

/** The rows of `list` and `search` also have the `total`. `update` returns no row for a method that does not exist. */
export async function serve({ list, search, tree, events, create, update }) {
  const fastify = Fastify();

  fastify.get(methods, async ({ params, query: { page = 1, per_page = 20, q, ...filters } }) => {
    const perPage = Number(per_page);
    const offset = (Number(page) - 1) * perPage;
    const isActive = filters['filter[is_active]'] === 'true';
    const rows = await (q
      ? search(params.project, perPage, offset, isActive, q)
      : list(params.project, perPage, offset));
    const count = rows[0]?.total ?? 0;
    for (const row of rows) delete row.total;
    const meta = {
      page: Number(page),
      per_page: perPage,
      total: count,
      total_pages: Math.ceil(count / perPage),
    };
    return { data: rows.map(method), meta };
  });

  fastify.get(`${methods}/tree`, async ({ params }) => {
    const carriers = new Map();
    for (const row of await tree(params.project)) {
      const { carrier_code, carrier_label, is_active, sort_order } = row;
      let carrier = carriers.get(carrier_code);
      if (!carrier) {
        carrier = { carrier_code, carrier_label, is_active, sort_order, methods: [] };
        carriers.set(carrier_code, carrier);
      }
      carrier.is_active ||= is_active;
      carrier.methods.push(method(row));
    }
    return { data: [...carriers.values()] };
  });

  fastify.get(`${orders}/:order/events`, async ({ params }) => ({
    data: await events(params.project, params.order),
  }));

  fastify.post(methods, async ({ params, body }, reply) => {
    reply.code(201);
    return method(await create(params.project, body));
  });

  fastify.patch(`${methods}/:id`, async ({ params, body }, reply) => {
    const row = await update(params.project, params.id, body);
    if (!row) return reply.code(404).send();
    return method(row);
  });

  await fastify.listen({ host: process.env.HOST, port: Number(process.env.PORT) });
}
