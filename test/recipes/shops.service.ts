import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import {
  connectionError,
  DatabaseUnavailableError,
  OrderEvents,
  ShippingMethods,
  upsertRequestOf,
} from 'nestjs-shipping';
import { DataSource, type EntityManager } from 'typeorm';

@Injectable()
export class ShopsService {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(ShippingMethods) private readonly methods: ShippingMethods,
    @Inject(OrderEvents) private readonly events: OrderEvents,
  ) {}

  /** A new shop with the defaults, and a row of yours. */
  open(shop: string): Promise<void> {
    return this.inTransaction(async (manager) => {
      await this.methods.adoptDefaults(shop, { manager });
      // Here you store what else a new shop needs, with the same manager.
    });
  }

  /** Copies the methods of the shop `from` to the shop `to`. Methods that only `to` has stay there. */
  copy(from: string, to: string): Promise<number> {
    return this.inTransaction(async (manager) => {
      const { data } = await this.methods.tree(from, { manager });
      const requests = data.flatMap(({ methods }) => methods.map(upsertRequestOf));
      const { changes } = await this.methods.upsertMany(to, requests, { manager });
      return changes.length;
    });
  }

  /** Stop the requests of the shop before you call this. Otherwise they write again. */
  close(shop: string): Promise<void> {
    return this.inTransaction(async (manager) => {
      // Here you delete your own rows. Delete the rows that refer to a method first.
      await this.methods.removeProject(shop, { manager });
      await this.events.removeProject(shop, { manager });
    });
  }

  /** Repeats a transaction that has lost a race. */
  private async inTransaction<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.dataSource.transaction('READ COMMITTED', work);
      } catch (error) {
        const typed = connectionError(error);
        const isRace = typed instanceof DatabaseUnavailableError && typed.contention === 'race';
        if (!isRace || attempt === 5) throw typed;
        await delay(Math.random() * 25 * 2 ** attempt);
      }
    }
  }
}
