// This is what a good engineer writes by hand: Fastify and pg, with one prepared statement for each request. A list
// also counts its rows. There is no revision and no validation.
import pg from 'pg';
import { v7 as uuid } from 'uuid';
import { serve } from './routes.mjs';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const query = async (name, text, values) => (await pool.query({ name, text, values })).rows;

const columns = `id, project_id, carrier_code, carrier_label, method_code, method_label, is_active, sort_order, meta,
  use_default, version, created_at, updated_at`;
const order = 'sort_order, carrier_code, method_code';

const total = '(SELECT count(*)::integer FROM shipping_method WHERE project_id = $1) AS total';
const searched = `project_id = $1 AND is_active = $2 AND concat_ws(E'\\n', carrier_code, carrier_label, method_code, method_label) ILIKE $3`;

await serve({
  list: (project, perPage, offset) =>
    query(
      'list',
      `SELECT ${columns}, ${total} FROM shipping_method WHERE project_id = $1 ORDER BY ${order} LIMIT $2 OFFSET $3`,
      [project, perPage, offset],
    ),

  search: (project, perPage, offset, isActive, q) =>
    query(
      'search',
      `SELECT ${columns}, (SELECT count(*)::integer FROM shipping_method WHERE ${searched}) AS total
       FROM shipping_method WHERE ${searched} ORDER BY ${order} LIMIT $4 OFFSET $5`,
      [project, isActive, `%${q}%`, perPage, offset],
    ),

  tree: (project) =>
    query('tree', `SELECT ${columns} FROM shipping_method WHERE project_id = $1 ORDER BY ${order}`, [
      project,
    ]),

  events: (project, orderId) =>
    query(
      'events',
      `SELECT id, project_id, order_id, type, message, data, actor, occurred_at, recorded_at FROM shipping_order_event
       WHERE project_id = $1 AND order_id = $2 ORDER BY occurred_at, seq`,
      [project, orderId],
    ),

  async create(project, body) {
    const [row] = await query(
      'create',
      `INSERT INTO shipping_method (${columns})
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, now(), now()) RETURNING ${columns}`,
      [
        uuid(),
        project,
        body.carrier_code,
        body.carrier_label ?? null,
        body.method_code,
        body.method_label,
        body.is_active ?? true,
        body.sort_order ?? 0,
        body.meta ?? {},
        body.use_default ?? '',
      ],
    );
    return row;
  },

  async update(project, id, body) {
    const [row] = await query(
      'update',
      `UPDATE shipping_method SET carrier_code = $3, carrier_label = COALESCE($4, carrier_label), method_code = $5,
         method_label = $6, is_active = COALESCE($7, is_active), sort_order = COALESCE($8, sort_order),
         meta = COALESCE($9, meta), use_default = COALESCE($10, use_default),
         version = version + 1, updated_at = now()
       WHERE project_id = $1 AND id = $2 RETURNING ${columns}`,
      [
        project,
        id,
        body.carrier_code,
        body.carrier_label,
        body.method_code,
        body.method_label,
        body.is_active,
        body.sort_order,
        body.meta,
        body.use_default,
      ],
    );
    return row;
  },
});
