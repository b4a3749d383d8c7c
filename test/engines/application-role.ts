import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type DataSource, type EntityManager } from 'typeorm';
import { freshProject, ground } from '../support/client.js';
import { type EngineDatabase, opened } from './databases.js';
import { type EngineHost, hostOn } from './host.js';

/** A file of docs/sql, for the role and the database of a test. */
export function sqlOf(file: string, role: string, place: string): string {
  const sql = readFileSync(new URL(`../../docs/${file}.sql`, import.meta.url), 'utf8');
  return sql
    .replaceAll('shop_app', role)
    .replaceAll('schema public', `schema ${place}`)
    .replaceAll('shop.', `${place}.`);
}

export function statementsOf(sql: string): string[] {
  const statements = sql.replace(/^(--|\\).*$/gm, '').match(/(?:\$\$[^]*?\$\$|[^;$])+/g) ?? [];
  return statements.filter((each) => each.trim() !== '');
}

/** The tables in the database of a test, their owner, and a role for the application. */
export interface RoleDatabase {
  role: string;
  /** The schema on PostgreSQL, or the database. */
  place: string;
  owner: DataSource;
  /** Runs a file of docs/sql as the owner. */
  run(file: string): Promise<void>;
  /** Starts the application as the role. */
  start(): Promise<EngineHost>;
  close(): Promise<void>;
}

/** Creates a role without any right. */
export async function withRole(database: EngineDatabase): Promise<RoleDatabase> {
  const role = `app_${randomBytes(6).toString('hex')}`;
  const { url = '', schema, type } = database.options as { url?: string; schema?: string; type: string };
  const isPostgres = type === 'postgres';
  const owner = await opened(database, { extra: schema ? { options: `-c search_path=${schema}` } : {} });
  await owner.query(
    isPostgres ? `CREATE ROLE ${role} LOGIN PASSWORD 'p'` : `CREATE USER ${role} IDENTIFIED BY 'p'`,
  );
  const address = Object.assign(new URL(url), { username: role, password: 'p' });
  const place = schema ?? (isPostgres ? 'public' : new URL(url).pathname.slice(1));
  return {
    role,
    place,
    owner,
    async run(file) {
      for (const statement of statementsOf(sqlOf(file, role, place))) await owner.query(statement);
    },
    start: () => hostOn(database, {}, { url: address.href, migrationsRun: false }),
    async close() {
      if (isPostgres) await owner.query(`DROP OWNED BY ${role}`);
      await owner.query(isPostgres ? `DROP ROLE ${role}` : `DROP USER ${role}`);
      await owner.destroy();
      await database.drop();
    },
  };
}

/** What `everyCall` returns. */
export const outcomesOfEveryCall = {
  methods: 2,
  inherited: 'Default',
  changed: 3,
  removed: 3,
  history: 2,
  redacted: 1,
  forgotten: 2,
  left: 1,
};

/** Makes each kind of call. */
export async function everyCall({
  methods,
  events,
  dataSource,
}: EngineHost): Promise<typeof outcomesOfEveryCall> {
  const [projectId, orderId] = [freshProject(), 'o'];
  await methods.create('default', { ...ground, method_label: 'Default' });
  const { id } = await methods.create(projectId, { ...ground, use_default: true });
  await methods.upsert(projectId, { ...ground, method_code: 'express' });
  const { data } = await methods.list(projectId);
  const locked = await dataSource.transaction((manager: EntityManager) =>
    methods.findOrFail(projectId, id, { manager, lock: true }),
  );
  const { changes } = await methods.upsertMany(
    projectId,
    ['03', 'express', 'third'].map((method_code) => ({ ...ground, method_code, sort_order: 7 })),
  );
  await methods.adoptDefaults(projectId);
  const record = (type: string, at = orderId) =>
    events.record({ projectId, orderId: at }, { type, message: 'Ada', dedupe_key: 'once' });
  await record('order.placed');
  await record('order.placed');
  await events.record({ projectId, orderId }, { type: 'order.paid' });
  await record('order.placed', 'other');
  const history = await events.findAll({ projectId, orderId });
  return {
    methods: data.length,
    inherited: locked.method_label,
    changed: changes.length,
    history: history.length,
    redacted: await events.redactHistory({ projectId, orderId }),
    forgotten: await events.removeHistory({ projectId, orderId }),
    left: await events.removeHistories(projectId),
    removed: await methods.removeAll(projectId),
  };
}
