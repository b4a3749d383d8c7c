import { defaultsOf } from '../database/revision.js';
import { type MethodReads, placeLength } from './method-reads.js';

/** Methods read at once: what bounds the memory of a large tree. */
const batchSize = 200;
const placeBytes = placeLength / 2;
const eachPlace = new RegExp(`.{${placeLength}}`, 'g');

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
  const outline = await reads.outline(projectId);
  const { validator } = outline[0];
  const branches = outline.slice(0, -1).map(({ text }) => {
    const [head = '', places = ''] = text.split('\t');
    // As bytes: a part of a string keeps all of it in memory.
    return { head: Buffer.from(head), places: Buffer.from(places, 'hex') };
  });
  const all = Buffer.concat(branches.map(({ places }) => places));
  const methodsFrom = async (first: number): Promise<string[]> => {
    const digits = all.toString('hex', first * placeBytes, (first + batchSize) * placeBytes);
    const wanted = digits.match(eachPlace) ?? [];
    const read = await reads.unchanged(projectId, wanted);
    const methods = read.text === '' ? [] : read.text.split('\n');
    const [then, now] = [defaultsOf(validator), defaultsOf(read.validator)];
    // At their versions, none of these follows a default if none did then, or none does now.
    const isOfMoment = then === undefined || now === undefined || then === now;
    if (methods.length < wanted.length || !isOfMoment) throw new TreeChangedError();
    return methods;
  };
  let batch = all.length === 0 ? [] : await methodsFrom(0);

  async function* pieces(): LargeTree['pieces'] {
    let place = 0;
    let json = '{"data":[';
    for (const { head, places } of branches) {
      json += `${place > 0 ? ',' : ''}${String(head).slice(0, -1)},"methods":[`;
      for (let count = 0; count < places.length / placeBytes; count++, place++) {
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
