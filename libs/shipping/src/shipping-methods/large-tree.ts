import { defaultsOf } from '../database/revision.js';
import { type MethodReads, placeLength } from './method-reads.js';

/** Methods read at once: what bounds the memory of a large tree. */
const batchSize = 200;
const places = new RegExp(`.{${placeLength}}`, 'g');

/** A method that was still to be sent has changed: the tree of its moment cannot be made any more. */
export class TreeChangedError extends Error {
  constructor() {
    super('A method changed while the tree was sent: ask for it again.');
  }
}

/** A tree in pieces of its JSON, of which the last one is returned. */
export interface LargeTree {
  validator: string;
  pieces: AsyncGenerator<string, string, undefined>;
}

/**
 * A tree of any size in bounded memory, of one moment: that at which the places of all methods are read. The
 * methods are read in batches, and each must still be at its version. No connection is held between two.
 * The first piece is there already.
 * @throws TreeChangedError, as does each further piece
 */
export async function largeTree(reads: MethodReads, projectId: string): Promise<LargeTree> {
  const { validator, text } = await reads.outline(projectId);
  const branches = linesOf(text).map((line) => line.split('\t'));
  const all = branches.map(([, own]) => own).join('');
  const methodsFrom = async (first: number): Promise<string[]> => {
    const wanted = all.slice(first * placeLength, (first + batchSize) * placeLength).match(places) ?? [];
    const read = await reads.unchanged(projectId, wanted);
    const methods = linesOf(read.text);
    const isUnchanged =
      methods.length === wanted.length && defaultsOf(read.validator) === defaultsOf(validator);
    if (!isUnchanged) throw new TreeChangedError();
    return methods;
  };
  let batch = all === '' ? [] : await methodsFrom(0);

  async function* pieces(): LargeTree['pieces'] {
    let place = 0;
    let json = '{"data":[';
    for (const [head = '', own = ''] of branches) {
      json += `${place > 0 ? ',' : ''}${head.slice(0, -1)},"methods":[`;
      for (let count = 0; count < own.length / placeLength; count++, place++) {
        if (place > 0 && place % batchSize === 0) {
          yield json;
          json = '';
          batch = await methodsFrom(place);
        }
        json += `${count > 0 ? ',' : ''}${batch[place % batchSize]}`;
      }
      json += ']}';
    }
    return `${json}]}`;
  }
  return { validator, pieces: pieces() };
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}
