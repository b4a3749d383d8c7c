import { type MethodReads } from './method-reads.js';
import { branchHead } from './tree.js';

/** Methods read at once: what bounds the memory of a large tree. */
const batchSize = 200;
const uuidLength = 36;

/** The methods changed between two batches of a large tree: what was made of it so far is of no use. */
export class TreeChangedError extends Error {
  constructor() {
    super('The methods changed while their tree was sent: ask for it again.');
  }
}

/**
 * A tree of any size in bounded memory, as pieces of its JSON: the ids of all methods are read at one moment,
 * the methods in batches, each of which must still be of that moment. No connection is held between two.
 * @throws TreeChangedError
 */
export async function* largeTree(
  reads: MethodReads,
  projectId: string,
): AsyncGenerator<string, void, undefined> {
  const { validator, found: branches } = await reads.outline(projectId);
  const ids = branches.map((branch) => branch.text).join('');
  /** Last one first. */
  const methodsFrom = async (first: number): Promise<string[]> => {
    const wanted = ids.slice(first * uuidLength, (first + batchSize) * uuidLength).match(/.{36}/g) ?? [];
    const read = await reads.byIds(projectId, wanted);
    if (read.validator !== validator) throw new TreeChangedError();
    const byId = new Map(read.found.map((method) => [method.id, method.text]));
    return wanted.flatMap((id) => byId.get(id) ?? []).toReversed();
  };

  let batch: string[] = [];
  let place = 0;
  let json = '{"data":[';
  for (const branch of branches) {
    json += (place > 0 ? ',' : '') + branchHead(branch);
    for (let count = 0; count < branch.methods; count++, place++) {
      if (place % batchSize === 0) {
        batch = await methodsFrom(place);
        yield json;
        json = '';
      }
      const method = batch.pop();
      if (!method) throw new TreeChangedError();
      json += (count > 0 ? ',' : '') + method;
    }
    json += ']}';
  }
  yield `${json}]}`;
}
