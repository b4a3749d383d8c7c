import { type ModulesContainer } from '@nestjs/core';
import { type HttpSettings, type ShippingSettings } from '../shipping.options.js';

export interface Mount {
  /** The definition that `forRoot()` or `forRootAsync()` has returned. */
  definition: object;
  dataSource: string;
  http: false | HttpSettings;
  settings: ShippingSettings;
}

const mountsByApplication = new WeakMap<ModulesContainer, Mount[]>();

/** Returns the mounts of an application. */
export function mountsOf(modules: ModulesContainer): readonly Mount[] {
  return mountsByApplication.get(modules) ?? [];
}

/**
 * Compares a mount with the earlier mounts of the application. `onModuleInit()` would be too late: Fastify refuses two
 * equal routes before Nest calls it, with a message that names no remedy.
 * @throws Error that names the remedy when two mounts collide
 */
export function addMount(modules: ModulesContainer, mount: Mount): void {
  const mounts = mountsOf(modules);
  if (mounts.some(({ definition }) => definition === mount.definition))
    throw new Error(
      'The options of ShippingModule depend on a request-scoped provider, so Nest makes the module again for each request. ' +
        'Inject only providers of the default scope into forRootAsync().',
    );
  const other = mounts.find((earlier) => collide(earlier, mount));
  mountsByApplication.set(modules, [...mounts, mount]);
  if (!other) return;
  const { dataSource, http } = mount;
  const [where, otherwise] =
    http && other.http
      ? [`at "${http.path}"`, 'Or give the second mount an http.path of its own.']
      : [
          `on the DataSource "${dataSource}"`,
          'A mount with http: false cannot share its DataSource with another mount.',
        ];
  throw new Error(
    `ShippingModule is mounted twice ${where}. Import ShippingModule.forRoot() once, with isGlobal: true so that ` +
      `every module can inject its services. ${otherwise}`,
  );
}

/**
 * Two mounts with routes collide if they have the same path and a version in common. If one of them has no routes, they
 * collide if they use the same DataSource.
 */
function collide(one: Mount, other: Mount): boolean {
  if (!one.http || !other.http) return one.dataSource === other.dataSource;
  const shapeOf = (path: string): string => path.replace(/:\w+/g, ':');
  const versions = new Set([other.http.version].flat());
  return (
    shapeOf(one.http.path) === shapeOf(other.http.path) &&
    [one.http.version].flat().some((version) => versions.has(version))
  );
}
