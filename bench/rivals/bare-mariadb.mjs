// What a good engineer writes by hand: Fastify, mysql2, prepared statements. As `bare.mjs`. MariaDB has no UPDATE that
// gives the row back, so an update reads it first.
import mysql from 'mysql2/promise';
import { columns, eventOf, methodOf, newMethod, statements, valuesOf } from './rows.mjs';
import { serve } from './routes.mjs';

const pool = mysql.createPool({
  uri: process.env.DATABASE_URL,
  connectionLimit: 10,
  charset: 'utf8mb4',
  timezone: 'Z',
});
const run = async (sql, values) => (await pool.execute(sql, values))[0];
const rows = async (sql, values, shown) => (await run(sql, values)).map((row) => shown(row));

await serve({
  list: (project, perPage, offset) => rows(statements.list, [project, project, perPage, offset], methodOf),
  tree: (project) => rows(statements.tree, [project], methodOf),
  events: (project, order) => rows(statements.events, [project, order], eventOf),

  async create(project, body, searchText) {
    const method = newMethod(project, body, new Date());
    await run(statements.create, [...valuesOf(method), searchText]);
    return method;
  },

  async update(project, id, body, searchText) {
    const [method] = await rows(
      `SELECT ${columns} FROM shipping_method WHERE project_id = ? AND id = ?`,
      [project, id],
      methodOf,
    );
    if (!method) return undefined;
    const { version } = method;
    Object.assign(method, body, { version: version + 1, updated_at: new Date() });
    const [, , ...values] = valuesOf(method);
    const { affectedRows } = await run(
      `UPDATE shipping_method SET carrier_code = ?, carrier_label = ?, method_code = ?, method_label = ?, is_active = ?,
         sort_order = ?, meta = ?, use_default = ?, version = ?, created_at = ?, updated_at = ?, search_text = ?
       WHERE project_id = ? AND id = ? AND version = ?`,
      [...values, searchText, project, id, version],
    );
    return affectedRows === 1 ? method : undefined;
  },
});
