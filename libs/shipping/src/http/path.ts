/** The default path of the routes. */
export const defaultPath = 'api/projects/:project_id/sales/orders';

export function withoutOuterSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}

/**
 * @param option the name of the option, for the error
 * @returns the name of the path parameter that is the project: `project_id`, or else the only one
 * @throws Error when no parameter is the project
 */
export function projectParameterOf(path: unknown, option = 'ShippingModule option "http.path"'): string {
  const segments = typeof path === 'string' ? path.split('/') : [];
  const parameters = segments.filter((segment) => /[:*{(]/.test(segment));
  const names = parameters.map((segment) => segment.slice(1));
  const [name] = names.length > 1 ? names.filter((each) => each === 'project_id') : names;
  const areWhole = parameters.every((segment) => /^:\w+$/.test(segment));
  const isReserved = names.includes('order_id') || names.includes('method_id');
  if (name !== undefined && areWhole && !isReserved) return name;
  throw new Error(
    `${option} must be a path with a parameter for the project, such as "tenants/:tenant/shipping". A parameter must be a ` +
      'whole segment of letters, digits and _. If there are several, the project must be ":project_id". None may be ' +
      '":order_id" or ":method_id", which our own routes have.',
  );
}
