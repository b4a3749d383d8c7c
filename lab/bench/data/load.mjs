import { randomUUID } from 'node:crypto';
import * as data from './catalogue.mjs';

const rowsAtOnce = 2_000;
const now = '2026-01-01 00:00:00.000';
const types = [
  'order.placed',
  'payment.authorized',
  'payment.captured',
  'shipment.created',
  'shipment.in_transit',
];

/** Fills the migrated tables of the library, as if the library had written all rows. */
export async function load(database, projects) {
  const connection = await database.connect();
  const none = await noInheritance(connection, database.schema);
  await connection.query(database.columnDefaults(none));
  await insertAll(connection, 'shipping_project', projectRows(projects));
  await insertAll(connection, 'shipping_method', methodRows(projects, none));
  await insertAll(connection, 'shipping_order_event', eventRows(projects));
  await connection.query(database.analyze);
  await connection.end();
}

/** Returns the stored `use_default` of a method that inherits nothing. Older commits have a boolean column. */
async function noInheritance(connection, schema) {
  const [{ type }] = await connection.query(
    `SELECT data_type AS type FROM information_schema.columns
     WHERE table_schema = ${schema} AND table_name = 'shipping_method' AND column_name = 'use_default'`,
  );
  return { boolean: 'false', tinyint: '0' }[type] ?? '';
}

async function insertAll(connection, table, rows) {
  let batch = [];
  const insert = async () => {
    if (batch.length > 0) await connection.insert(table, Object.keys(batch[0]), batch);
    batch = [];
  };
  for (const row of rows) if (batch.push(row) === rowsAtOnce) await insert();
  await insert();
}

function* projectRows(projects) {
  for (const { name } of projects) yield { project_id: name, revision: randomUUID() };
}

function* methodRows(projects, none) {
  for (const { name, number, methods } of projects) {
    for (let index = 0; index < methods; index++) {
      yield {
        project_id: name,
        ...data.method(number, index),
        is_active: index % 10 < 9,
        sort_order: index * 10,
        use_default: none,
        version: 1,
        created_at: now,
        updated_at: now,
      };
    }
  }
}

function* eventRows(projects) {
  for (const { name, number, orders = 0 } of projects) {
    for (let event = 0; event < orders * data.eventsPerOrder; event++) {
      const index = event % data.eventsPerOrder;
      const at = new Date(Date.UTC(2026, 0, 1, index)).toISOString().slice(0, -1).replace('T', ' ');
      yield {
        project_id: name,
        order_id: data.order(Math.floor(event / data.eventsPerOrder)),
        occurred_at: at,
        id: data.idOf(number, event),
        type: types[index % types.length],
        message: index % 4 === 0 ? 'The parcel has left the sorting centre.' : null,
        data: { total: '84.90', parcel: index, currency: 'EUR' },
        actor: index % 3 === 0 ? { id: `u-${index}`, type: 'user', label: 'Ada Byron' } : null,
        recorded_at: at,
      };
    }
  }
}
