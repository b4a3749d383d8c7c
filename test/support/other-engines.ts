import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { type TestTypeOrmModuleOptions } from 'nestjs-shipping/testing';

/** Where a user may create databases. By default the usual local servers are tried. */
export const mariadbUrl = urlOf('mariadb') ?? 'mariadb://root@127.0.0.1:3306/';
export const mysqlUrl = urlOf('mysql') ?? 'mysql://root@127.0.0.1:3307/';
export const sqliteDriver = installed('../drivers/node_modules/better-sqlite3');

/** The engines beside PostgreSQL. A title says why the tests of one are skipped. */
export const otherEngines: { title: string; isMissing: boolean; options: TestTypeOrmModuleOptions }[] = [
  engine('MariaDB', await responds(mariadbUrl), 'no server responds', { type: 'mariadb', url: mariadbUrl }),
  engine('MySQL', await responds(mysqlUrl), 'no server responds', { type: 'mysql', url: mysqlUrl }),
  engine('SQLite', sqliteDriver !== undefined, 'test/drivers is not installed', {
    type: 'better-sqlite3',
    // The file of a host: no test may open it.
    database: '/no/folder/shop.db',
    driver: sqliteDriver,
  }),
];

/** The first server of this kind among those that the run is for. */
function urlOf(scheme: string): string | undefined {
  const urls = (process.env['TEST_DATABASE_URLS'] ?? '').split(',');
  return urls.find((url) => url.startsWith(`${scheme}:`));
}

function engine(name: string, isHere: boolean, reason: string, options: TestTypeOrmModuleOptions) {
  return { title: isHere ? name : `${name} (skipped: ${reason})`, isMissing: !isHere, options };
}

/** @returns undefined when it cannot be loaded, or has no binary for this machine */
function installed(path: string): unknown {
  try {
    const Driver = createRequire(import.meta.url)(path) as new (file: string) => { close(): void };
    new Driver(':memory:').close();
    return Driver;
  } catch {
    return undefined;
  }
}

async function responds(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port || 3306), hostname);
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}
