import { type EntityManager } from 'typeorm';
import { dialectIn } from '../database/data-source-of.js';
import { type Batch, batchSize } from '../database/in-batches.js';
import { runCached } from '../database/run-cached.js';
import { type NamedIds } from '../validation/check-input.js';
import {
  isBeyond,
  orderOfHistory,
  orderOfProject,
  positionValues,
  type ProjectPosition,
} from './event-position.js';
import { OrderEvent } from './order-event.table.js';

/**
 * Removes the next events of a project, or of one of its orders, in the order of the primary key. Each batch begins
 * where the last one ended: until the database has cleaned up, a scan from the start would read the removed rows again.
 */
export async function removeBatch(
  manager: EntityManager,
  ids: NamedIds,
  after: ProjectPosition | undefined,
): Promise<Batch<ProjectPosition>> {
  const columns = ids.orderId === undefined ? orderOfProject : orderOfHistory;
  const isOfIds =
    ids.orderId === undefined ? 'project_id = :projectId' : 'project_id = :projectId AND order_id = :orderId';
  const isNext = after ? `${isOfIds} AND ${isBeyond('>', 'after', columns)}` : isOfIds;
  const values = { ...ids, ...positionValues(manager, 'after', after) };
  const { records } = await runCached<ProjectPosition>(
    manager,
    OrderEvent,
    `last of ${isNext}`,
    values,
    () => {
      const { timeColumn, valueColumn } = dialectIn(manager);
      const query = manager
        .createQueryBuilder(OrderEvent, 'e')
        .select(valueColumn('e.order_id'), 'order_id')
        .addSelect(timeColumn('e.occurred_at'), 'occurred_at')
        .addSelect(valueColumn('e.seq'), 'seq')
        .where(isNext);
      for (const column of columns) query.addOrderBy(`e.${column}`);
      return query.limit(1).offset(batchSize - 1);
    },
  );
  const [last] = records;
  const removal = manager.createQueryBuilder().delete().from(OrderEvent).where(isNext, values);
  if (last) removal.andWhere(isBeyond('<=', 'last', columns), positionValues(manager, 'last', last));
  const { affected } = await removal.execute();
  return { changed: affected ?? 0, next: last };
}
