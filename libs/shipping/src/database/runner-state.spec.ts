import { expect, it } from 'vitest';
import { OpenTransaction } from './runner-state.js';

it('a transaction keeps the first of its errors', () => {
  const transaction = new OpenTransaction();
  transaction.fail('first');
  transaction.fail('a consequence of the first');

  expect(transaction.failure).toEqual({ error: 'first' });
});
