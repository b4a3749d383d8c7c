import { VERSION_NEUTRAL } from '@nestjs/common';
import { type ModulesContainer } from '@nestjs/core';
import { mountsOf } from '../module/mounts.js';
import { projectParameterOf, withoutOuterSlashes } from '../http/path.js';
import { type MountedPage } from './page.options.js';

/** The settings of a mount that the page in the browser needs. */
export interface PageRoutes {
  /** The path of the routes, relative to the page as a folder. `{project}` stands for the project. */
  routes: string;
  /** The project with the default values. */
  defaults: string;
}

/** @throws Error that names the remedy when there is no such mount, or when the option must choose one of several */
export function pageRoutesOf(modules: ModulesContainer, { path, version, routes }: MountedPage): PageRoutes {
  const mounts = mountsOf(modules).flatMap(({ http, settings }) => (http ? [{ ...http, settings }] : []));
  const paths = [...new Set(mounts.map((mount) => mount.path))];
  if (paths.length === 0)
    throw new Error('ShippingPageModule found no routes. Import ShippingModule.forRoot() with routes, too.');
  const [only = ''] = paths.length === 1 ? paths : [];
  const wanted = withoutOuterSlashes(routes ?? only);
  const pageVersions = new Set([version].flat());
  const hasVersionOfPage = (mount: Pick<MountedPage, 'version'>): boolean =>
    [mount.version].flat().some((each) => pageVersions.has(each));
  const mount = mounts
    .toSorted(
      (one, other) =>
        other.path.length - one.path.length ||
        Number(hasVersionOfPage(other)) - Number(hasVersionOfPage(one)),
    )
    .find((each) => `/${wanted}`.endsWith(`/${each.path}`));
  if (mount === undefined)
    throw new Error(
      `ShippingPageModule at "${path}" needs the option "routes" with the http.path of one mount: ${paths.join(', ')}.`,
    );
  if (routes === undefined && !hasVersionOfPage(mount)) {
    const versions = [mount.version].flat();
    const up = pageVersions.has(VERSION_NEUTRAL) ? '' : '../';
    const down = versions.includes(VERSION_NEUTRAL) ? '' : `v${String(versions[0])}/`;
    throw new Error(
      'The page and the routes have no version in common. If a version is in a URI, give ShippingPageModule the option ' +
        `"routes" with the path from the page to the routes, such as "${up}${down}${mount.path}".`,
    );
  }
  const { defaultsProjectId: defaults } = mount.settings;
  return { routes: relative(path, wanted, projectParameterOf(mount.path)), defaults };
}

/**
 * Leads up from the page, and down to the routes. A prefix that both have is not part of it, so a proxy may change it.
 */
function relative(page: string, routes: string, parameter: string): string {
  const from = segmentsOf(page);
  const to = segmentsOf(routes).map((segment) => (segment === `:${parameter}` ? '{project}' : segment));
  const different = from.findIndex((segment, index) => segment !== to[index]);
  const start = different === -1 ? from.length : different;
  const down = to.slice(start);
  const unknown = down.find((segment) => segment.startsWith(':'));
  if (unknown)
    throw new Error(
      `ShippingPageModule cannot fill in "${unknown}" of the path "${routes}". Give the page a path that begins with the same segments.`,
    );
  return [...from.slice(start).map(() => '..'), ...down].join('/');
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}
