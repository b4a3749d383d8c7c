import { type OrderEventDto, type ShippingMethodChange } from 'nestjs-shipping';
import { Column, type DataSource, Entity, type EntityManager, PrimaryGeneratedColumn } from 'typeorm';

/**
 * A message for webhooks about a change of a method, or about an event. It is committed in the same transaction.
 */
@Entity({ name: 'outbox' })
export class OutboxEntry {
  @PrimaryGeneratedColumn({ name: 'id', type: 'integer' })
  id!: number;

  /** For example `method.created` or `order.placed`. */
  @Column({ name: 'type', type: 'varchar', length: 64 })
  type!: string;

  /** The method after the change, the removed method as it was, or the event. */
  @Column({ name: 'body', type: 'simple-json' })
  body!: object;
}

/** Writes a change into the outbox. It is the option `beforeCommit.change`. */
export async function writeChange(change: ShippingMethodChange, manager: EntityManager): Promise<void> {
  const { type, before, after } = change;
  await manager.save(Object.assign(new OutboxEntry(), { type: `method.${type}`, body: after ?? before }));
}

/** Writes an event into the outbox. It is the option `beforeCommit.event`. */
export async function writeEvent(event: OrderEventDto, manager: EntityManager): Promise<void> {
  await manager.save(Object.assign(new OutboxEntry(), { type: event.type, body: event }));
}

/**
 * Sends and removes the entries in the order of their ids. It may run on several instances at once. If the process
 * dies after `send`, the entry is sent twice.
 */
export async function sendOutbox(dataSource: DataSource, send: (entry: OutboxEntry) => Promise<void>) {
  const sendFirst = async (manager: EntityManager): Promise<boolean> => {
    const lock = { mode: 'pessimistic_write' } as const;
    const [first] = await manager.find(OutboxEntry, { order: { id: 'ASC' }, take: 1, lock });
    if (!first) return false;
    await send(first);
    await manager.delete(OutboxEntry, first.id);
    return true;
  };
  // With MariaDB's default level, a transaction that finds the outbox empty would block new changes until it ends.
  while (await dataSource.transaction('READ COMMITTED', sendFirst));
}
