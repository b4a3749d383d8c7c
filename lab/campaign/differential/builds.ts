import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type EngineDatabase } from '../../../test/engines/databases.js';
import { type EngineHost, hostOn, type Library } from '../../../test/engines/host.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A build of the package, for instance another commit's `libs/shipping/dist/esm`. */
export interface Build extends Library {
  name: string;
  tables: { entities: unknown; migrations: unknown };
  remove(): Promise<void>;
}

/**
 * Loads a copy of a build that lies in this workspace. So all builds of a process share one Nest and one TypeORM.
 * @param path of the folder of its `index.js`
 */
export async function buildAt(name: string, path: string): Promise<Build> {
  const parent = join(root, '.cache', 'differential');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, `${name}-`));
  await cp(path, join(folder, 'esm'), { recursive: true });
  await symlink(join(root, 'libs/shipping/node_modules'), join(folder, 'node_modules'));
  const load = (file: string): Promise<unknown> =>
    import(/* @vite-ignore */ pathToFileURL(join(folder, 'esm', file)).href);
  const library = (await load('index.js')) as typeof import('nestjs-shipping');
  const { shippingMigrations: migrations } = (await load(
    'database/migrations/migrations.js',
  )) as typeof import('nestjs-shipping/migrations');
  return {
    name,
    ShippingModule: library.ShippingModule,
    ShippingMethodsService: library.ShippingMethodsService,
    OrderEventsService: library.OrderEventsService,
    tables: { entities: library.shippingEntities, migrations },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export function hostOfBuild(
  build: Build,
  database: EngineDatabase,
  shipping: Parameters<typeof hostOn>[1],
): Promise<EngineHost> {
  return hostOn(database, shipping, build.tables, build);
}
