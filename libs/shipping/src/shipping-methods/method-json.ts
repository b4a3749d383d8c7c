import { type ShippingMethodPage } from './dto/shipping-method.dto.js';
import { type EffectiveMethod } from './effective-method.js';
import { type CheckedListQuery } from './list/list-filter.js';
import { type MethodView } from './method-view.js';

/** @returns the JSON of a `ShippingMethodPage` */
export function pageJson(view: MethodView, query: CheckedListQuery): string {
  const { methods, total } = view.page(query);
  const { page, perPage } = query;
  const meta: ShippingMethodPage['meta'] = {
    page,
    per_page: perPage,
    total,
    total_pages: Math.ceil(total / perPage),
  };
  return `{"data":[${joined(methods)}],"meta":${JSON.stringify(meta)}}`;
}

/** @returns the JSON of a `ShippingTree` */
export function treeJson(view: MethodView): string {
  const carriers = view
    .tree()
    .map(
      ({ methods, ...carrier }) => `${JSON.stringify(carrier).slice(0, -1)},"methods":[${joined(methods)}]}`,
    );
  return `{"data":[${carriers.join(',')}]}`;
}

function joined(methods: readonly EffectiveMethod[]): string {
  return methods.map(({ json }) => json).join(',');
}
