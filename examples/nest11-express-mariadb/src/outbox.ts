import { type ShippingMethodChange, type ShippingMethodDto } from 'nestjs-shipping';
import { Column, Entity, type EntityManager, PrimaryGeneratedColumn } from 'typeorm';

/** A change of a method, to be sent to webhooks. It is committed with the change, or not at all. */
@Entity({ name: 'outbox' })
export class OutboxEntry {
  @PrimaryGeneratedColumn({ name: 'id', type: 'integer' })
  id!: number;

  @Column({ name: 'type', type: 'varchar', length: 10 })
  type!: ShippingMethodChange['type'];

  /** As it is now, or was before it was deleted. */
  @Column({ name: 'method', type: 'simple-json' })
  method!: ShippingMethodDto;
}

/** For the option `onChange`. */
export async function writeToOutbox(change: ShippingMethodChange, manager: EntityManager): Promise<void> {
  const { type, before, after } = change;
  await manager.save(Object.assign(new OutboxEntry(), { type, method: after ?? before }));
}

/** Sends and removes what is there, in the order of its ids. After a crash, an entry may be sent twice. */
export async function sendOutbox(manager: EntityManager, send: (entry: OutboxEntry) => Promise<void>) {
  for (const entry of await manager.find(OutboxEntry, { order: { id: 'ASC' }, take: 100 })) {
    await send(entry);
    await manager.delete(OutboxEntry, entry.id);
  }
}
