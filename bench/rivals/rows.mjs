// What the bare rivals on MariaDB and SQLite share: a method as both engines store it, and as the wire has it.
import { v7 as uuid } from 'uuid';

export const columns = `id, project_id, carrier_code, carrier_label, method_code, method_label, is_active, sort_order,
  meta, use_default, version, created_at, updated_at`;

const order = 'sort_order, carrier_code, method_code';

export const statements = {
  list: `SELECT ${columns}, (SELECT count(*) FROM shipping_method WHERE project_id = ?) AS total FROM shipping_method
    WHERE project_id = ? ORDER BY ${order} LIMIT ? OFFSET ?`,
  tree: `SELECT ${columns} FROM shipping_method WHERE project_id = ? ORDER BY ${order}`,
  events: `SELECT id, project_id, order_id, type, message, data, actor, occurred_at, recorded_at
    FROM shipping_order_event WHERE project_id = ? AND order_id = ? ORDER BY occurred_at, seq`,
  create: `INSERT INTO shipping_method (${columns}, search_text) VALUES (${'?, '.repeat(13)}?)`,
};

/** A new method as the wire has it. */
export function newMethod(project_id, body, time) {
  const { carrier_code, carrier_label = null, method_code, method_label } = body;
  const { is_active = true, sort_order = 0, meta = {}, use_default = false } = body;
  const fields = { carrier_code, carrier_label, method_code, method_label, is_active, sort_order, meta };
  return { id: uuid(), project_id, ...fields, use_default, version: 1, created_at: time, updated_at: time };
}

/** The values of a method in the order of `columns`. @param stored a time as the engine stores it */
export function valuesOf(method, stored = (time) => time) {
  return Object.values({
    ...method,
    is_active: Number(method.is_active),
    meta: JSON.stringify(method.meta),
    use_default: Number(method.use_default),
    created_at: stored(method.created_at),
    updated_at: stored(method.updated_at),
  });
}

/** The method of a row. @param shown a time as the wire has it */
export function methodOf(row, shown = (time) => time) {
  row.is_active = row.is_active === 1;
  row.use_default = row.use_default === 1;
  row.meta = JSON.parse(row.meta);
  row.created_at = shown(row.created_at);
  row.updated_at = shown(row.updated_at);
  return row;
}

export function eventOf(row, shown = (time) => time) {
  row.data = JSON.parse(row.data);
  row.actor = row.actor && JSON.parse(row.actor);
  row.occurred_at = shown(row.occurred_at);
  row.recorded_at = shown(row.recorded_at);
  return row;
}
