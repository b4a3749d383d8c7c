// The same as `bare-postgres.mjs`, with mysql2. It has only the scenarios that are measured on MariaDB.
import mysql from 'mysql2/promise';
import { v7 as uuid } from 'uuid';
import { serve } from './routes.mjs';

const columns = `id, project_id, carrier_code, carrier_label, method_code, method_label, is_active, sort_order, meta,
  use_default, version, created_at, updated_at`;

const pool = mysql.createPool({
  uri: process.env.DATABASE_URL,
  connectionLimit: 10,
  charset: 'utf8mb4',
  timezone: 'Z',
});

await serve({
  async list(project, perPage, offset) {
    const [rows] = await pool.execute(
      `SELECT ${columns}, (SELECT count(*) FROM shipping_method WHERE project_id = ?) AS total FROM shipping_method
       WHERE project_id = ? ORDER BY sort_order, carrier_code, method_code LIMIT ? OFFSET ?`,
      [project, project, perPage, offset],
    );
    for (const row of rows) {
      row.is_active = row.is_active === 1;
      row.meta = JSON.parse(row.meta);
    }
    return rows;
  },

  async create(project_id, body) {
    const { carrier_code, carrier_label = null, method_code, method_label } = body;
    const { is_active = true, sort_order = 0, meta = {}, use_default = '' } = body;
    const fields = { carrier_code, carrier_label, method_code, method_label, is_active, sort_order, meta };
    const time = new Date();
    const method = { id: uuid(), project_id, ...fields, use_default, version: 1 };
    Object.assign(method, { created_at: time, updated_at: time });
    await pool.execute(
      `INSERT INTO shipping_method (${columns}) VALUES (${'?, '.repeat(12)}?)`,
      Object.values({ ...method, meta: JSON.stringify(meta) }),
    );
    return method;
  },
});
