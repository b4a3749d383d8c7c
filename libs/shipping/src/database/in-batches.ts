/**
 * How many rows a batch has at most. The limit of parameters in a statement is 32,766 on SQLite, and higher on the other
 * engines.
 */
export const batchSize = 1000;

/** The outcome of one batch. */
export interface Batch<Position> {
  /** How many rows the batch changed. */
  changed: number;
  /** Where the next batch begins. Undefined after the last batch. */
  next: Position | undefined;
}

/**
 * Changes any number of rows in batches, one after another. A batch has few rows, so it needs little memory and ends
 * before a statement time-out.
 * @param change changes the rows of one batch; the first batch begins at no position
 * @returns how many rows were changed
 */
export async function inBatches<Position>(
  change: (from: Position | undefined) => Promise<Batch<Position>>,
): Promise<number> {
  let [changed, from]: [number, Position | undefined] = [0, undefined];
  do {
    const batch = await change(from);
    changed += batch.changed;
    from = batch.next;
  } while (from !== undefined);
  return changed;
}
