import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { InvalidParameterError, Violations } from '../../validation/violations.js';
import { checkInput } from '../../validation/check-input.js';
import { ListQueryCache, type NamedQuery } from './list-query-cache.js';

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

const usedMb = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1_000_000;
};

describe('the queries of URLs', () => {
  const read = (texts: ListQueryCache, search: string): NamedQuery =>
    checkInput({ projectId: 'p' }, (violations) => texts.read(violations, search));

  it('are checked once', () => {
    const texts = new ListQueryCache({ maxPageSize: 100 });

    expect(read(texts, 'per_page=7')).toBe(read(texts, 'per_page=7'));
    expect(read(texts, 'per_page=7').query).toMatchObject({ page: 1, perPage: 7 });
  });

  it('are refused each time when they have a violation', () => {
    const texts = new ListQueryCache({ maxPageSize: 100 });

    for (let call = 0; call < 2; call++)
      expect(() => read(texts, 'per_page=0')).toThrow(InvalidParameterError);
  });

  it('are not remembered when another part of the input has a violation', () => {
    const texts = new ListQueryCache({ maxPageSize: 100 });
    const violations = new Violations();
    violations.at({ parameter: 'projectId' })('format', 'wrong');

    expect(texts.read(violations, 'per_page=7').query).toMatchObject({ perPage: 7 });
    expect(read(texts, 'per_page=7').query).toMatchObject({ perPage: 7 });
  });

  it('are forgotten when long ones need their memory', () => {
    const texts = new ListQueryCache({ maxPageSize: 100 });
    const first = read(texts, 'page=1');
    for (let number = 0; number < 300; number++) read(texts, `q=${'x'.repeat(90)}${number}`);

    expect(read(texts, 'page=1')).not.toBe(first);
  });

  it('do not keep the URLs of which they were a part', () => {
    const texts = new ListQueryCache({ maxPageSize: 100 });
    /** Returns a text that V8 has cut out of a text of 1 MB. */
    const cutOut = (text: string): string => ` ${'x'.repeat(1_000_000)}${text}`.slice(-text.length);
    read(texts, cutOut('page=1'));
    const before = usedMb();
    for (let number = 1; number <= 60; number++) read(texts, cutOut(`page=1&unknown=${number}`));

    expect(usedMb() - before).toBeLessThan(15);
  });
});
