import { randomUUID } from 'node:crypto';
import * as data from './catalogue.mjs';

/** The data of `load.mjs`, for engines that cannot make rows by themselves. */
const rowsAtOnce = 2_000;

const now = '2026-01-01 00:00:00.000';
const eventTypes = [
  'order.placed',
  'payment.authorized',
  'payment.captured',
  'shipment.created',
  'shipment.in_transit',
];

const tables = {
  shipping_project: 'project_id revision methods followers',
  shipping_method:
    'project_id id carrier_code carrier_label method_code method_label is_active sort_order meta use_default ' +
    'search_text version created_at updated_at',
  shipping_order_event: 'project_id order_id occurred_at id type message data actor recorded_at seq',
};

/**
 * Fills the migrated tables of the library, as if the library had written all rows.
 * @param open connects to the database; its `insert` takes rows as arrays
 * @param writers the contenders that get their own methods to update
 */
export async function loadRows(open, url, size, writers) {
  const database = await open(url);
  const projects = [...shops(size), ...writers.flatMap(writtenBy)];
  const empty = writers.flatMap((writer) => data.emptyProjects(writer));
  const all = [
    projectRows(projects, empty),
    methodRows(projects),
    eventRows(projects.slice(0, size.shops), size),
  ];
  for (const [index, [table, columns]] of Object.entries(tables).entries()) {
    for (const rows of inBatches(all[index])) await database.insert(table, columns.split(' '), rows);
  }
  await database.close();
}

const shops = ({ shops: count }) =>
  Array.from({ length: count }, (_, number) => ({ name: data.shop(number), number }));

const writtenBy = (writer, index) =>
  Array.from({ length: data.projectsWritten }, (_, number) => ({
    name: data.written(writer, number),
    number: data.firstWritten + index * data.projectsWritten + number,
  }));

function* projectRows(projects, empty) {
  for (const name of empty) yield [name, randomUUID(), 0, 0];
  for (const { name } of projects) yield [name, randomUUID(), data.methodsPerProject, 0];
}

function* methodRows(projects) {
  for (const { name, number } of projects) {
    for (let index = 0; index < data.methodsPerProject; index++) {
      const { id } = data.method(number, index);
      const { carrier_code, carrier_label, method_code, method_label, meta } = data.pick(number, index);
      const searched = [carrier_code, method_code, carrier_label, method_label].join('\n').toLowerCase();
      const codes = [carrier_code, carrier_label, method_code, method_label];
      const rest = [Number(index % 10 < 9), index * 10, JSON.stringify(meta), 0, searched, 1, now, now];
      yield [name, id, ...codes, ...rest];
    }
  }
}

function* eventRows(projects, { ordersPerShop }) {
  let seq = 0;
  for (const { name } of projects) {
    for (let order = 0; order < ordersPerShop; order++) {
      for (let event = 0; event < data.eventsPerOrder; event++) {
        const at = new Date(Date.UTC(2026, 0, 1, event)).toISOString().slice(0, -1).replace('T', ' ');
        const about = JSON.stringify({ total: '84.90', parcel: event, currency: 'EUR' });
        const actor = event % 3 === 0 ? { id: `u-${event}`, type: 'user', label: 'Ada Byron' } : null;
        const message = event % 4 === 0 ? 'The parcel has left the sorting centre.' : null;
        const texts = [name, data.order(order), at, randomUUID(), eventTypes[event % 5], message];
        yield [...texts, about, actor && JSON.stringify(actor), at, ++seq];
      }
    }
  }
}

function* inBatches(rows) {
  let batch = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < rowsAtOnce) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
