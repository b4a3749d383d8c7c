import { Inject, Injectable } from '@nestjs/common';
import {
  OrderEventsService,
  repeatLostRaces,
  ShippingMethodsService,
  toUpsertRequest,
} from 'nestjs-shipping';
import { DataSource, type EntityManager } from 'typeorm';

@Injectable()
export class ShopsService {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService,
    @Inject(OrderEventsService) private readonly events: OrderEventsService,
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
      const methods = await this.methods.findAll(from, { manager });
      const { changes } = await this.methods.upsertMany(to, methods.map(toUpsertRequest), { manager });
      return changes.length;
    });
  }

  /** Stop the requests of the shop before you call this. Otherwise they write again. */
  close(shop: string): Promise<void> {
    return this.inTransaction(async (manager) => {
      // Here you delete your own rows. Delete the rows that refer to a method first.
      await this.methods.removeAll(shop, { manager });
      await this.events.removeHistories(shop, { manager });
    });
  }

  /** Repeats a transaction that has lost a race. */
  private inTransaction<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return repeatLostRaces(() => this.dataSource.transaction('READ COMMITTED', work));
  }
}
