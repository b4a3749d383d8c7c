import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { freePort, onExit, stop, until } from './processes.mjs';

/** Settings for a small server. Durability stays on: each COMMIT waits for the disk. */
const settings = ['innodb_buffer_pool_size=256M', 'innodb_log_file_size=512M', 'bind_address=127.0.0.1'];

/** Creates a database that is dropped when the bench ends. @returns its URL, and the server's pid if we started it */
export async function newDatabase(name) {
  const server = await (running ??= startServer());
  const database = `${name}_${process.pid}`;
  await administer(server.url, `CREATE DATABASE ${database} CHARACTER SET utf8mb4`);
  onExit(() => administer(server.url, `DROP DATABASE IF EXISTS ${database}`));
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return { url: url.href, pid: server.pid };
}

/** Such as `MariaDB 10.11.19`. */
export async function version() {
  const [[{ version: found }]] = await administer((await running).url, 'SELECT version() AS version');
  return `MariaDB ${found.split('-')[0]}`;
}

/** TypeORM creates them for `@Column({ default })` and `@CreateDateColumn`, and rivals with these rely on them. */
const columnDefaults = `ALTER TABLE shipping_method
  ALTER is_active SET DEFAULT 1, ALTER sort_order SET DEFAULT 0, ALTER meta SET DEFAULT '{}',
  ALTER use_default SET DEFAULT 0, ALTER created_at SET DEFAULT UTC_TIMESTAMP(3),
  ALTER updated_at SET DEFAULT UTC_TIMESTAMP(3)`;

export async function openForLoad(url) {
  const connection = await mysql.createConnection({ uri: url, charset: 'utf8mb4' });
  await connection.query(columnDefaults);
  return {
    insert: (table, columns, rows) => connection.query(`INSERT INTO ${table} (${columns}) VALUES ?`, [rows]),
    async close() {
      await connection.query('ANALYZE TABLE shipping_project, shipping_method, shipping_order_event');
      await connection.end();
    },
  };
}

let running;

async function startServer() {
  const url = process.env.BENCH_DATABASE_URL;
  return url ? { url } : startThrowaway();
}

async function startThrowaway() {
  const folder = mkdtempSync(join(tmpdir(), 'nestjs-shipping-bench-'));
  const data = join(folder, 'data');
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  const common = ['--no-defaults', `--datadir=${data}`, ...user];
  execFileSync('mariadb-install-db', [...common, '--auth-root-authentication-method=normal'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const port = await freePort();
  const options = [`port=${port}`, `socket=${folder}/socket`, ...settings].map((setting) => `--${setting}`);
  const server = spawn('mariadbd', [...common, ...options], { stdio: 'ignore' });
  onExit(async () => {
    await stop(server);
    rmSync(folder, { recursive: true, force: true });
    running = undefined;
  });
  const url = `mariadb://root@127.0.0.1:${port}/mysql`;
  await until(() => administer(url, 'SELECT 1'), server, 'MariaDB');
  return { url, pid: server.pid };
}

async function administer(url, sql) {
  const connection = await mysql.createConnection(url);
  try {
    return await connection.query(sql);
  } finally {
    await connection.end();
  }
}
