import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';

const host = mounted();

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Returns a text that V8 has cut out of a text of 1 MB. */
const cutOut = (text: string): string => ` ${'x'.repeat(1_000_000)}${text}`.slice(-text.length);

/** Returns the growth of the memory in MB after 60 calls. */
async function growthOf(call: (number: number) => Promise<unknown>): Promise<number> {
  const usedMb = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed / 1_000_000;
  };
  await call(0);
  const before = usedMb();
  for (let number = 1; number <= 60; number++) await call(number);
  return usedMb() - before;
}

it('the cache does not keep the URLs of which a project id was a part', async () => {
  const project = freshProject();

  expect(
    await growthOf((number) => host.methods.tree(cutOut(`project-of-a-shop-${project}-${number}`))),
  ).toBeLessThan(15);
});
