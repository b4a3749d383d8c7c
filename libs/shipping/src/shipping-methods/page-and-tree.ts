import { type ShippingMethodPage, type ShippingTree } from './dto/shipping-method.dto.js';
import { type CheckedListQuery } from './list/list-filter.js';
import { type MethodView } from './method-view.js';

/** @returns new objects, which the caller may change */
export function pageOf(view: MethodView, query: CheckedListQuery): ShippingMethodPage {
  const { methods, total } = view.page(query);
  const { page, perPage } = query;
  return {
    data: methods.map(({ dto }) => dto),
    meta: { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) },
  };
}

/** @returns new objects, which the caller may change */
export function treeOf(view: MethodView): ShippingTree {
  const data = view
    .tree()
    .map(({ methods, ...carrier }) => ({ ...carrier, methods: methods.map(({ dto }) => dto) }));
  return { data };
}
