import { type EntityManager } from 'typeorm';
import { dialectIn } from '../database/data-source-of.js';
import { type Batch, batchSize } from '../database/in-batches.js';
import { runCached } from '../database/run-cached.js';
import { type EventPosition } from './dto/event-cursor.js';
import { actorTypes, type OrderEventActor } from './dto/order-event.dto.js';
import { isBeyond, positionValues } from './event-position.js';
import { type OrderKey } from './event-rows.js';
import { OrderEvent } from './order-event.table.js';

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
  let changed = 0;
  if (first && last)
    for (const actor of [null, ...redactedActors]) {
      const ofActor = rows.filter((row) => redactedActorOf(row) === actor);
      if (ofActor.length > 0) changed += await redactRows(manager, order, [first, last], ofActor, actor);
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

/** @param range the first and the last row of the batch; without it, PostgreSQL would read the whole history */
async function redactRows(
  manager: EntityManager,
  order: OrderKey,
  range: readonly [EventPosition, EventPosition],
  rows: readonly EventPosition[],
  actor: OrderEventActor | null,
): Promise<number> {
  const { timeParameter } = dialectIn(manager);
  const [from, to] = range.map(({ occurred_at }) => timeParameter(occurred_at));
  const [fromSeq, toSeq] = range.map(({ seq }) => Number(seq));
  const seqs = rows.map(({ seq }) => Number(seq));
  const { affected } = await manager
    .createQueryBuilder()
    .update(OrderEvent)
    .set({ message: null, data: {}, actor })
    // Another call may have redacted the rows by now. Then they do not count twice.
    .where(`${isOfOrder} AND ${isPersonal}`, { ...order, ...redactedValues })
    // With the condition of the other statements, MariaDB would lock what follows the batch, and with it new events.
    .andWhere('(occurred_at, seq) >= (:from, :fromSeq)', { from, fromSeq })
    .andWhere('(occurred_at, seq) <= (:to, :toSeq)', { to, toSeq })
    // MariaDB and MySQL would find the plain column by its own index, and lock the end of this index, for which every
    // INSERT would wait.
    .andWhere('seq + 0 IN (:...seqs)', { seqs })
    .updateEntity(false)
    .execute();
  return affected ?? 0;
}
