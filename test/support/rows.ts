import { randomUUID } from 'node:crypto';
import { OrderEvent, ShippingMethod, ShippingProject } from 'nestjs-shipping';
import { type DeepPartial, type EntityManager } from 'typeorm';

/** So few rows do not exceed the parameters of a statement on any engine. */
const rowsOfAStatement = 1000;

/** Records many events of an order, as fast as the database can. @param of the values of the event with this number */
export async function addEvents(
  manager: EntityManager,
  order: { projectId: string; orderId: string },
  count: number,
  of: (n: number) => Partial<OrderEvent> = () => ({}),
): Promise<void> {
  const now = new Date();
  // SQLite does not number a column that is only a part of the key.
  const isNumbered = manager.connection.options.type === 'better-sqlite3';
  const last = isNumbered ? Number(await manager.maximum(OrderEvent, 'seq' as never)) : 0;
  await insert(manager, OrderEvent, count, (n) => ({
    ...order,
    id: randomUUID(),
    occurredAt: now,
    type: 'note.added',
    data: {},
    recordedAt: now,
    ...(isNumbered && { seq: String(last + n) }),
    ...of(n),
  }));
}

/** Stores many methods, as an import does. @param of the values of the method with this number */
export async function addMethods(
  manager: EntityManager,
  projectId: string,
  count: number,
  of: (n: number) => Partial<ShippingMethod> = () => ({}),
): Promise<void> {
  const now = new Date();
  await insert(manager, ShippingMethod, count, (n) => ({
    projectId,
    id: randomUUID(),
    carrierCode: 'c',
    carrierLabel: null,
    methodCode: `m${n}`,
    methodLabel: 'Label',
    isActive: true,
    sortOrder: 0,
    meta: {},
    useDefault: [],
    version: 1,
    createdAt: now,
    updatedAt: now,
    ...of(n),
  }));
  const row = { projectId, revision: randomUUID() };
  await manager.insert(ShippingProject, row);
}

/** Gives a project a new revision, which each change by SQL needs. The revision tells the caches of the change. */
export async function renewRevision(manager: EntityManager, projectId: string): Promise<void> {
  await manager.update(ShippingProject, { projectId }, { revision: randomUUID() });
}

/** Inserts rows with the numbers 1 to `count`. */
async function insert<Row extends object>(
  manager: EntityManager,
  entity: new () => Row,
  count: number,
  of: (n: number) => DeepPartial<Row>,
): Promise<void> {
  for (let from = 1; from <= count; from += rowsOfAStatement) {
    const length = Math.min(rowsOfAStatement, count - from + 1);
    const rows = Array.from({ length }, (_, index) => of(from + index));
    await manager
      .createQueryBuilder()
      .insert()
      // PostgreSQL 13 takes no DEFAULT for a column that it numbers itself, in several rows.
      .into(entity, Object.keys(rows[0] ?? {}))
      .values(rows as never)
      // Reading the generated values back would take a query for each row on some engines.
      .updateEntity(false)
      .execute();
  }
}
