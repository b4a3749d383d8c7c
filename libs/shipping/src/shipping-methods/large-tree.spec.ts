import { describe, expect, it } from 'vitest';
import { largeTree, TreeChangedError } from './large-tree.js';
import { type MethodReads, type Read } from './method-reads.js';

const place = (n: number): string => n.toString(16).padStart(32, '0') + '00000001';

/** @param answer to the look-up of a batch, from its places */
const reads = (methods: number, answer: (places: readonly string[]) => Partial<Read>): MethodReads => {
  const places = Array.from({ length: methods }, (_, n) => place(n));
  const state = { validator: '1.7.3', total: methods, text: '' };
  const branch = `{"carrier_code":"a"}\t${places.join('')}`;
  return {
    outline: () => Promise.resolve([{ ...state, text: branch }, state]),
    unchanged: (_project: string, wanted: readonly string[]) =>
      Promise.resolve({ ...state, ...answer(wanted) }),
  } as unknown as MethodReads;
};

const found = (places: readonly string[]): Partial<Read> => ({
  text: places.map((each) => String(parseInt(each.slice(0, 32), 16))).join('\n'),
});

describe('a large tree', () => {
  it.each([1, 199, 200, 201, 400, 401])('of %i methods has each of them once, in order', async (count) => {
    const { pieces } = await largeTree(reads(count, found), 'p');

    let json = '';
    for (let piece = await pieces.next(); ; piece = await pieces.next()) {
      json += piece.value;
      if (piece.done) break;
    }

    expect(JSON.parse(json)).toEqual({
      data: [{ carrier_code: 'a', methods: Array.from({ length: count }, (_, n) => n) }],
    });
  });

  it.each<[string, (places: readonly string[]) => Partial<Read>]>([
    ['its one method changed', () => ({ text: '' })],
    ['a method changed', (places) => found(places.slice(1))],
    ['the defaults changed', (places) => ({ ...found(places), validator: '1.7.4' })],
  ])('is not begun when %s', async (_what, answer) => {
    await expect(largeTree(reads(1, answer), 'p')).rejects.toThrow(TreeChangedError);
  });

  it.each([
    ['others of its project change', '1.8.3'],
    ['the last one that followed a default, sent already, is gone', '1.8'],
  ])('goes on when %s', async (_what, validator) => {
    const { pieces } = await largeTree(
      reads(300, (places) => ({ ...found(places), validator })),
      'p',
    );

    expect((await pieces.next()).done).toBe(false);
    expect((await pieces.next()).done).toBe(true);
  });
});
