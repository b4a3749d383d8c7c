import { type OrderEventDto } from 'nestjs-shipping';

/** The histories that the contract demands, by order. */
export class Histories {
  private events: { key: string; dedupeKey: string | null; event: OrderEventDto }[] = [];

  copy(): Histories {
    return Object.assign(new Histories(), { events: [...this.events] });
  }

  of(key: string): OrderEventDto[] {
    // Sorting is stable, so events of the same time stay in the order of recording.
    return this.events
      .filter((one) => one.key === key)
      .map((one) => one.event)
      .toSorted((a, b) => Date.parse(a.occurred_at) - Date.parse(b.occurred_at));
  }

  /** @returns the event that the order has under this key already */
  first(key: string, dedupeKey: string | null): OrderEventDto | undefined {
    return this.events.find((one) => one.key === key && dedupeKey !== null && one.dedupeKey === dedupeKey)
      ?.event;
  }

  keep(key: string, dedupeKey: string | null, event: OrderEventDto): void {
    this.events.push({ key, dedupeKey, event });
  }
}
