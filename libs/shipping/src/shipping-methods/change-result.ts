import { type ShippingMethodChange } from './dto/shipping-method.dto.js';
import { type StoredMethod } from './effective-method.js';
import { type Decide, type RowWrite } from './method-changes.js';
import { type MethodSet, MethodView } from './method-view.js';

/** The project after a call, and what the call has changed. */
export interface ChangeResult {
  view: MethodView;
  changes: readonly ShippingMethodChange[];
}

/**
 * Compares two views of the rows that were written. If a trigger of the database has removed an updated row, the method
 * counts as removed.
 * @throws Error if a trigger has removed an inserted row
 */
export function changesBetween(
  viewBefore: MethodView,
  viewAfter: MethodView,
  writes: readonly RowWrite[],
): ShippingMethodChange[] {
  const byId = ({ methods }: MethodView) => new Map(methods.map((method) => [method.stored.id, method]));
  const [methodsBefore, methodsAfter] = [byId(viewBefore), byId(viewAfter)];
  return writes.map(({ id }) => {
    const before = methodsBefore.get(id)?.toDto() ?? null;
    const after = methodsAfter.get(id)?.toDto() ?? null;
    if (before) return after ? { type: 'updated', before, after } : { type: 'removed', before, after };
    if (after) return { type: 'created', before, after };
    throw new Error(
      'A new method is missing after the write. A trigger of the database may have removed it.',
    );
  });
}

/** Returns the result that a decision is expected to have. A trigger of the database may change the real one. */
export function expectedResult(
  decide: Decide,
  set: MethodSet,
  defaultsSet: MethodSet | undefined,
): ChangeResult {
  const before = new MethodView(set, defaultsSet);
  const writes = decide(before, defaultsSet && new MethodView(defaultsSet));
  const view = new MethodView({ ...set, methods: expectedMethods(set, writes) }, defaultsSet);
  return { view, changes: changesBetween(before, view, writes) };
}

export function expectedMethods(
  { projectId, methods }: MethodSet,
  writes: readonly RowWrite[],
): StoredMethod[] {
  const now = new Date().toISOString();
  const stored = new Map(methods.map((method) => [method.id, method]));
  for (const write of writes) {
    const { id } = write;
    const { version = 0, created_at = now } = stored.get(id) ?? {};
    if (write.kind === 'remove') stored.delete(id);
    else
      stored.set(id, {
        ...write.values,
        meta: JSON.stringify(write.values.meta),
        id,
        project_id: projectId,
        version: version + 1,
        created_at,
        updated_at: now,
      });
  }
  return [...stored.values()];
}
