import { type ShippingMethodPage, type ShippingTree } from './dto/shipping-method.dto.js';
import { type EffectiveMethod } from './effective-method.js';
import { type CheckedListQuery } from './list/list-filter.js';
import { type MethodView } from './method-view.js';

// A list and a tree are made in two forms: as objects, which the caller may change, and as JSON, in which no `meta` was
// parsed. A tree of 1,000 methods with 16 KiB of `meta` takes a second as objects.

export function pageOf(view: MethodView, query: CheckedListQuery): ShippingMethodPage {
  const { methods, total } = view.page(query);
  return { data: methods.map(({ dto }) => dto), meta: metaOf(query, total) };
}

/** @returns JSON of a `ShippingMethodPage` */
export function pageJson(view: MethodView, query: CheckedListQuery): string {
  const { methods, total } = view.page(query);
  return `{"data":${jsonOf(methods)},"meta":${JSON.stringify(metaOf(query, total))}}`;
}

export function treeOf(view: MethodView): ShippingTree {
  const data = view
    .tree()
    .map(({ methods, ...carrier }) => ({ ...carrier, methods: methods.map(({ dto }) => dto) }));
  return { data };
}

/** @returns JSON of a `ShippingTree` */
export function treeJson(view: MethodView): string {
  const carriers = view
    .tree()
    .map(
      ({ methods, ...carrier }) => `${JSON.stringify(carrier).slice(0, -1)},"methods":${jsonOf(methods)}}`,
    );
  return `{"data":[${carriers.join(',')}]}`;
}

function metaOf({ page, perPage }: CheckedListQuery, total: number): ShippingMethodPage['meta'] {
  return { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) };
}

function jsonOf(methods: readonly EffectiveMethod[]): string {
  return `[${methods.map(({ json }) => json).join(',')}]`;
}
