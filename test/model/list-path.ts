import { type Query } from './list-model.js';

/** @param isBracketed whether the filter is written `filter[field]=value` */
export function pathOf({ filter, raw_filters: rawFilters, ...rest }: Query, isBracketed: boolean): string {
  const parameters = new URLSearchParams(
    Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
  );
  if (filter && !isBracketed) parameters.set('filter', JSON.stringify(filter));
  for (const [field, value] of Object.entries(isBracketed ? (filter ?? {}) : {})) {
    for (const one of [value].flat()) parameters.append(`filter[${field}]`, String(one));
  }
  if (rawFilters) parameters.set('raw_filters', JSON.stringify(rawFilters));
  return `/shipments/methods?${parameters.toString()}`;
}
