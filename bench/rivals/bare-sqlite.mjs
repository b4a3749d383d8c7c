// What a good engineer writes by hand: Fastify, better-sqlite3, prepared statements. As `bare.mjs`.
import { createRequire } from 'node:module';
import { columns, eventOf, methodOf, newMethod, statements, valuesOf } from './rows.mjs';
import { serve } from './routes.mjs';

const Database = createRequire(import.meta.url)(process.env.SQLITE_DRIVER);
const database = new Database(process.env.DATABASE_URL.replace('sqlite:', ''));
database.pragma('journal_mode = WAL');
database.pragma('synchronous = NORMAL');

const [list, tree, events, create] = ['list', 'tree', 'events', 'create'].map((name) =>
  database.prepare(statements[name]),
);
const update = database.prepare(
  `UPDATE shipping_method SET carrier_code = ?, carrier_label = COALESCE(?, carrier_label), method_code = ?,
     method_label = ?, is_active = COALESCE(?, is_active), sort_order = COALESCE(?, sort_order),
     meta = COALESCE(?, meta), use_default = COALESCE(?, use_default), search_text = ?, version = version + 1,
     updated_at = ?
   WHERE project_id = ? AND id = ? RETURNING ${columns}`,
);

const shown = (time) => `${time.replace(' ', 'T')}Z`;
const stored = (time) => time.slice(0, -1).replace('T', ' ');
const method = (row) => methodOf(row, shown);
const given = (value, as) => (value === undefined ? null : as(value));

await serve({
  list: (project, perPage, offset) => list.all(project, project, perPage, offset).map(method),
  tree: (project) => tree.all(project).map(method),
  events: (project, order) => events.all(project, order).map((row) => eventOf(row, shown)),

  create(project, body, searchText) {
    const created = newMethod(project, body, new Date().toISOString());
    create.run(...valuesOf(created, stored), searchText);
    return created;
  },

  update(project, id, body, searchText) {
    const row = update.get(
      body.carrier_code,
      body.carrier_label ?? null,
      body.method_code,
      body.method_label,
      given(body.is_active, Number),
      body.sort_order ?? null,
      given(body.meta, JSON.stringify),
      given(body.use_default, Number),
      searchText,
      stored(new Date().toISOString()),
      project,
      id,
    );
    return row && method(row);
  },
});
