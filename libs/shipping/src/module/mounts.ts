import { type Type } from '@nestjs/common';
import { MODULE_PATH } from '@nestjs/common/constants.js';
import { type ModulesContainer } from '@nestjs/core';
import { type MethodSettings } from '../shipping-methods/method-settings.js';
import { type HttpSettings } from './http.options.js';

export interface Mount {
  /** The class of the module. All mounts share it. */
  module: Type;
  dataSource: string;
  http: false | HttpSettings;
  /** The classes of its routes; empty with `http: false`. */
  controllers: Type[];
  settings: MethodSettings;
}

const mountsByApplication = new WeakMap<ModulesContainer, Mount[]>();

/** Returns the mounts of an application. */
export function mountsOf(modules: ModulesContainer): readonly Mount[] {
  return mountsByApplication.get(modules) ?? [];
}

/**
 * Adds a mount to those of the application, names its controllers, and compares it with the earlier ones.
 * `onModuleInit()` would be too late: Fastify refuses two equal routes before Nest calls it, with a message that names
 * no remedy.
 * @throws Error that names the remedy when two mounts collide
 */
export function addMount(modules: ModulesContainer, mount: Mount): void {
  const mounts = mountsOf(modules);
  nameControllers(modules, mount.module);
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

/**
 * Gives the controllers of the second mount names such as `ShippingMethods2Controller`. Nest's ThrottlerGuard counts the
 * requests by the names of class and handler, so mounts with the same names would share a limit.
 */
function nameControllers(modules: ModulesContainer, type: Type): void {
  for (const [index, { controllers }] of modulesWithRoutes(modules, type).entries())
    for (const { metatype } of controllers.values()) {
      const { name } = Object.getPrototypeOf(metatype) as Type;
      const number = index === 0 ? '' : `${index + 1}`;
      Object.defineProperty(metatype, 'name', { value: name.replace('Controller', `${number}Controller`) });
    }
}

/**
 * `RouterModule` stores a prefix for each class of modules, and all mounts have the same class.
 * @param option the name of the option with the path, for the error
 * @throws Error that names the remedy when several mounts have a prefix of `RouterModule`
 */
export function refuseSharedPrefix(modules: ModulesContainer, type: Type, option: string): void {
  const prefix: unknown = Reflect.getMetadata(MODULE_PATH + modules.applicationId, type);
  if (prefix === undefined || modulesWithRoutes(modules, type).length < 2) return;
  throw new Error(
    `RouterModule knows modules only by their class, so every mount of ${type.name} would get the prefix "${String(prefix)}". ` +
      `Take ${type.name} out of RouterModule.register(), and write the prefix of each mount into its option "${option}".`,
  );
}

/** Returns the modules of a class that have routes, in the order in which the application imports them. */
function modulesWithRoutes(modules: ModulesContainer, type: Type) {
  return [...modules.values()].filter(
    ({ metatype, controllers }) => metatype === type && controllers.size > 0,
  );
}
