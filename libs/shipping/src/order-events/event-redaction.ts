import { type EntityManager } from 'typeorm';
import { dialectIn } from '../database/data-source-of.js';
import { type Batch, batchSize } from '../database/in-batches.js';
import { runCached } from '../database/run-cached.js';
import { type EventPosition } from './event-cursor.js';
import { actorTypes, type OrderEventActor } from './dto/order-event.dto.js';
import { isBeyond, positionValues } from './event-position.js';
import { OrderEvent } from './order-event.table.js';
import { type OrderKey } from './order-key.js';

/** The type of an actor names no person, so it stays. */
const redactedActors = actorTypes.map((type): OrderEventActor => ({ type, id: null, label: null }));
const isOfOrder = 'project_id = :projectId AND order_id = :orderId';
const isPersonal = `(message IS NOT NULL OR data <> :noData OR actor NOT IN (:...redactedActors))`;
const redactedValues = {
  noData: JSON.stringify({}),
  redactedActors: redactedActors.map((actor) => JSON.stringify(actor)),
};

interface PersonalRow extends EventPosition {
  actor: string | null;
}

/** Empties the message, the data and the actor of the next events that have any of them. */
export async function redactBatch(
  manager: EntityManager,
  order: OrderKey,
  after: EventPosition | undefined,
): Promise<Batch<EventPosition>> {
  const rows = await personalRows(manager, order, after);
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return { changed: 0, next: undefined };
  let changed = 0;
  // One UPDATE gives the same actor to all of its rows.
  for (const actor of [null, ...redactedActors]) {
    const rowsOfActor = rows.filter((row) => redactedActorOf(row) === actor);
    if (rowsOfActor.length > 0)
      changed += await redactRows(manager, order, { first, last }, rowsOfActor, actor);
  }
  return { changed, next: rows.length === batchSize ? last : undefined };
}

function redactedActorOf({ actor }: PersonalRow): OrderEventActor | null {
  const { type } = Object(JSON.parse(actor ?? 'null')) as Partial<OrderEventActor>;
  return redactedActors.find((redacted) => redacted.type === type) ?? null;
}

async function personalRows(
  manager: EntityManager,
  order: OrderKey,
  after: EventPosition | undefined,
): Promise<PersonalRow[]> {
  const { timeColumn, valueColumn } = dialectIn(manager);
  const values = { ...order, ...redactedValues, ...positionValues(manager, 'after', after) };
  const name = `personal events ${after ? 'after' : ''}`;
  const { records } = await runCached<PersonalRow>(manager, OrderEvent, name, values, () => {
    const query = manager
      .createQueryBuilder(OrderEvent, 'e')
      .select(timeColumn('e.occurred_at'), 'occurred_at')
      .addSelect(valueColumn('e.seq'), 'seq')
      .addSelect(valueColumn('e.actor'), 'actor')
      .where(`${isOfOrder} AND ${isPersonal}`);
    if (after) query.andWhere(isBeyond('>', 'after'));
    return query.orderBy('e.occurred_at').addOrderBy('e.seq').limit(batchSize);
  });
  return records;
}

/** @param batch its first and its last row; without them, PostgreSQL would read the whole history */
async function redactRows(
  manager: EntityManager,
  order: OrderKey,
  batch: { first: EventPosition; last: EventPosition },
  rows: readonly EventPosition[],
  actor: OrderEventActor | null,
): Promise<number> {
  const values = {
    ...order,
    ...redactedValues,
    ...positionValues(manager, 'first', batch.first),
    ...positionValues(manager, 'last', batch.last),
    seqs: rows.map(({ seq }) => Number(seq)),
  };
  const { affected } = await manager
    .createQueryBuilder()
    .update(OrderEvent)
    .set({ message: null, data: {}, actor })
    // Another call may have redacted the rows by now. Then they do not count twice.
    .where(`${isOfOrder} AND ${isPersonal}`, values)
    // With `isBeyond`, MariaDB would also lock the place after the batch, and a new event would wait.
    .andWhere('(occurred_at, seq) >= (:first_occurred_at, :first_seq)')
    .andWhere('(occurred_at, seq) <= (:last_occurred_at, :last_seq)')
    // MariaDB and MySQL would find the plain column by its own index, and lock the end of this index, for which every
    // INSERT would wait.
    .andWhere('seq + 0 IN (:...seqs)')
    .updateEntity(false)
    .execute();
  return affected ?? 0;
}
