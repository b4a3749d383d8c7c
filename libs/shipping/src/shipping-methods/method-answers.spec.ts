import { describe, expect, it, vi } from 'vitest';
import { type Database } from '../database/database.js';
import { settingsOf } from '../shipping.options.js';
import { MethodAnswers } from './method-answers.js';
import { type MethodReads, type Read } from './method-reads.js';

/** @param changes how often a method has changed by the time its batch is read */
const answersOf = (changes: number) => {
  const read = (text: string): Read => ({ validator: '1.7', total: 1, text });
  let tried = 0;
  const unchanged = vi.fn<MethodReads['unchanged']>(() =>
    Promise.resolve(read(tried++ < changes ? '' : '{"n":1}')),
  );
  const reads = {
    outline: () => Promise.resolve([read(`{"carrier_code":"a"}\t${'0'.repeat(39)}1`), read('')]),
    unchanged,
    tree: () => Promise.resolve(read('"whole"')),
  };
  const answers = new MethodAnswers({} as Database, reads as unknown as MethodReads, settingsOf({}));
  return { answers, unchanged };
};

describe('a large tree that somebody changes', () => {
  it.each([0, 1, 2])('is begun again after %i times', async (changes) => {
    const { answers } = answersOf(changes);

    const answer = await answers.largeTree('p');

    const piece = 'pieces' in answer ? await answer.pieces.next() : undefined;
    expect(piece).toEqual({ done: true, value: '{"data":[{"carrier_code":"a","methods":[{"n":1}]}]}' });
  });

  it('three times before it is begun is made whole', async () => {
    const { answers, unchanged } = answersOf(3);

    const answer = await answers.largeTree('p');

    expect('body' in answer && String(answer.body)).toBe('{"data":["whole"]}');
    expect(unchanged).toHaveBeenCalledTimes(3);
  });

  it('is not begun again for another reason', async () => {
    const { answers, unchanged } = answersOf(0);
    unchanged.mockRejectedValueOnce(new Error('The database is gone'));

    await expect(answers.largeTree('p')).rejects.toThrow('The database is gone');
    expect(unchanged).toHaveBeenCalledTimes(1);
  });
});
