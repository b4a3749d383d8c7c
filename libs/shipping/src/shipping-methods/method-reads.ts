import { Inject, Injectable } from '@nestjs/common';
import { ShippingSettings } from '../shipping.options.js';
import { BatchedMethods } from '../storage/batched-methods.js';
import { MethodStore } from '../storage/shipping-storage.js';
import { JoinedTransaction, type Scope } from '../storage/transactions.js';
import { type CachedJson, JsonCache } from './json-cache.js';
import { type CheckedListQuery } from './list-query.check.js';

/** Reads of many methods as JSON, from the cache where it is current. */
@Injectable()
export class MethodReads {
  private readonly cache: JsonCache;

  constructor(
    @Inject(MethodStore) private readonly store: MethodStore,
    @Inject(BatchedMethods) batched: BatchedMethods,
    @Inject(ShippingSettings) { cacheBytes }: ShippingSettings,
  ) {
    this.cache = new JsonCache((projectId) => batched.revision(projectId, 'shared'), cacheBytes);
  }

  /**
   * @param name of the query, unique in the project
   * @param query called only when the page is not in the cache
   */
  page(projectId: string, name: string, query: () => CheckedListQuery, scope: Scope): Promise<CachedJson> {
    return this.current(projectId, `list ${name}`, scope, async () => {
      const checked = query();
      const { revision, total, text } = await this.store.page(projectId, checked, scope);
      const { page, perPage } = checked;
      const meta = { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) };
      return { revision, body: bytesOf(`{"data":[${text}],"meta":${JSON.stringify(meta)}}`) };
    });
  }

  tree(projectId: string, scope: Scope): Promise<CachedJson> {
    return this.current(projectId, 'tree', scope, async () => {
      const { revision, text } = await this.store.tree(projectId, scope);
      return { revision, body: bytesOf(`{"data":[${text}]}`) };
    });
  }

  /** Others must not see what a transaction reads, so it does not come from the cache. */
  private current(
    projectId: string,
    name: string,
    scope: Scope,
    make: () => Promise<CachedJson>,
  ): Promise<CachedJson> {
    return scope instanceof JoinedTransaction ? make() : this.cache.get(projectId, name, make);
  }
}

/** In memory of its own: a slice of Node's pool would keep the whole pool in memory. */
function bytesOf(json: string): Buffer {
  return Buffer.from(new TextEncoder().encode(json).buffer);
}
