import pg from 'pg';
import { progressBar } from '../report/progress.mjs';
import * as data from './catalogue.mjs';

const projectsAtOnce = 250;
const methodsAtOnce = 25_000;

/** TypeORM creates them for `@Column({ default })` and `@CreateDateColumn`, and rivals with these rely on them. */
const columnDefaults = `ALTER TABLE shipping_method
  ALTER is_active SET DEFAULT true, ALTER sort_order SET DEFAULT 0, ALTER meta SET DEFAULT '{}',
  ALTER use_default SET DEFAULT false, ALTER created_at SET DEFAULT now(), ALTER updated_at SET DEFAULT now()`;

/**
 * Fills the migrated tables of the library, as if the library had written all rows.
 * @param writers the contenders that get their own methods to update
 */
export async function load(url, size, writers) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('SET synchronous_commit = off');
    await client.query(columnDefaults);
    await client.query(
      `CREATE TEMP TABLE catalogue AS SELECT * FROM ROWS FROM (jsonb_to_recordset($1)
         AS (carrier_code text, carrier_label text, method_code text, method_label text, meta jsonb))
       WITH ORDINALITY`,
      [JSON.stringify(data.catalogue)],
    );
    await loadMethods(client, [
      ...groups('shop-', 0, size.shops),
      ...size.large.map((methods, index) => ({
        name: data.large(methods),
        first: data.firstLarge + index,
        methods,
      })),
      ...writers.flatMap((writer, index) =>
        groups(`${writer}-`, data.firstWritten + index * data.projectsWritten, data.projectsWritten),
      ),
    ]);
    await loadEvents(client, size);
    await client.query('VACUUM ANALYZE shipping_project, shipping_method, shipping_order_event');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

/** Splits the projects of one kind into groups, one for each statement. */
function groups(prefix, first, count) {
  return Array.from({ length: Math.ceil(count / projectsAtOnce) }, (_, index) => {
    const from = index * projectsAtOnce;
    const projects = Math.min(projectsAtOnce, count - from);
    return { prefix, first: first + from, from, projects, methods: data.methodsPerProject };
  });
}

async function loadMethods(client, all) {
  const total = all.reduce((sum, { projects = 1, methods }) => sum + projects * methods, 0);
  const bar = progressBar('methods', total);
  for (const { name, prefix, first, from = 0, projects = 1, methods } of all) {
    const named = name ? `'${name}'` : `'${prefix}' || lpad((p - ${first - from})::text, 5, '0')`;
    const last = first + projects - 1;
    await client.query(
      `INSERT INTO shipping_project SELECT ${named}, gen_random_uuid(), ${methods}, 0
       FROM generate_series(${first}, ${last}) AS p`,
    );
    for (let place = 0; place < methods; place += methodsAtOnce) {
      const end = Math.min(methods, place + methodsAtOnce);
      await client.query(insertMethods(named, [first, last], [place, end - 1]));
      bar.advance(projects * (end - place));
    }
  }
  bar.done();
}

function insertMethods(project, [firstProject, lastProject], [firstPlace, lastPlace]) {
  const count = data.catalogue.length;
  // After the end of the catalogue its methods repeat with another code.
  const suffix = `CASE WHEN i >= ${count} THEN '-' || i / ${count} ELSE '' END`;
  return `INSERT INTO shipping_method (project_id, id, carrier_code, carrier_label, method_code, method_label,
      is_active, sort_order, meta, use_default, search_text, version, created_at, updated_at)
    SELECT ${project}, ('0199' || lpad(to_hex(p), 8, '0') || '70008000' || lpad(to_hex(i), 12, '0'))::uuid,
      s.carrier_code, s.carrier_label, s.method_code || ${suffix}, s.method_label, i % 10 < 9, i * 10, s.meta, false,
      lower(concat_ws(E'\\n', s.carrier_code, s.method_code || ${suffix}, s.carrier_label, s.method_label)),
      1, now(), now()
    FROM generate_series(${firstProject}, ${lastProject}) AS p, generate_series(${firstPlace}, ${lastPlace}) AS i
    JOIN catalogue AS s ON true WHERE s.ordinality = (p * ${data.stride} + i) % ${count} + 1`;
}

async function loadEvents(client, { shops, ordersPerShop, longHistory = 0 }) {
  const bar = progressBar('events', shops * ordersPerShop * data.eventsPerOrder + longHistory);
  for (let first = 0; first < shops; first += projectsAtOnce) {
    const last = Math.min(shops, first + projectsAtOnce) - 1;
    await client.query(insertEvents([first, last], [0, ordersPerShop - 1], data.eventsPerOrder));
    bar.advance((last - first + 1) * ordersPerShop * data.eventsPerOrder);
  }
  if (longHistory > 0) {
    await client.query(insertEvents([0, 0], [data.longOrder, data.longOrder], longHistory));
    bar.advance(longHistory);
  }
  bar.done();
}

function insertEvents([firstShop, lastShop], [firstOrder, lastOrder], events) {
  return `INSERT INTO shipping_order_event (project_id, order_id, occurred_at, id, type, message, data, actor, recorded_at)
    SELECT 'shop-' || lpad(p::text, 5, '0'), 'order-' || lpad(o::text, 5, '0'), at, gen_random_uuid(),
      (ARRAY['order.placed', 'payment.authorized', 'payment.captured', 'shipment.created', 'shipment.in_transit'])[e % 5 + 1],
      CASE WHEN e % 4 = 0 THEN 'The parcel has left the sorting centre.' END,
      jsonb_build_object('total', '84.90', 'currency', 'EUR', 'parcel', e),
      CASE WHEN e % 3 = 0 THEN jsonb_build_object('type', 'user', 'id', 'u-' || e, 'label', 'Ada Byron') END, at
    FROM generate_series(${firstShop}, ${lastShop}) AS p, generate_series(${firstOrder}, ${lastOrder}) AS o,
      generate_series(0, ${events - 1}) AS e,
      LATERAL (SELECT timestamptz '2026-01-01' + e * interval '1 hour' AS at) AS t`;
}
