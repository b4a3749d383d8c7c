import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { MethodSettings } from './method-settings.js';
import { checkedFor } from '../validation/identifiers.js';
import { type ShippingMethodPage } from './dto/shipping-method.dto.js';
import { type EffectiveMethod } from './effective-method.js';
import { type CheckedListQuery } from './list/list-query.check.js';
import { readListQuery } from './list/list-query.decode.js';
import { MethodStore } from './store/method-store.js';
import { type MethodView } from './method-view.js';

/** JSON of a view, and the tag of the view. */
export interface TaggedJson {
  tag: string;
  json: Buffer;
}

/** Lists and trees as the routes send them. Each is rendered once, as long as its view is current. */
@Injectable()
export class MethodJson {
  constructor(
    @Inject(MethodStore) private readonly store: MethodStore,
    @Inject(Database) private readonly database: Database,
    @Inject(MethodSettings) private readonly settings: MethodSettings,
  ) {}

  /**
   * @param search the query of the URL, as it was sent
   * @throws InvalidParameterError
   */
  list(projectId: string, search: string): Promise<TaggedJson> {
    const name = `?${search}`;
    const checked = (): CheckedListQuery =>
      checkedFor(projectId, (violations) => readListQuery(violations, search, this.settings.maxPageSize));
    // What has an answer was right. To check it again would take a tenth of the time.
    const query = this.store.hasBody(projectId, name) ? undefined : checked();
    return this.current(projectId, name, (view) => pageJson(view, query ?? checked()));
  }

  /** @throws InvalidParameterError */
  tree(projectId: string): Promise<TaggedJson> {
    checkedFor(projectId, () => undefined);
    return this.current(projectId, 'tree', treeJson);
  }

  private async current(
    projectId: string,
    name: string,
    render: (view: MethodView) => string,
  ): Promise<TaggedJson> {
    const manager = this.database.joined({});
    const view = await this.store.view(projectId, manager);
    const json = manager ? Buffer.from(render(view)) : this.store.body(view, name, () => render(view));
    return { tag: view.tag, json };
  }
}

/** JSON of a `ShippingMethodPage`. */
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

/** JSON of a `ShippingTree`. */
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
