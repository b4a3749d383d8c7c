import { expect, it } from 'vitest';
import { StatementOrder } from './statement-order.js';

it('a statement of the host that ends after a new transaction has begun does not hide the next one', async () => {
  const order = new StatementOrder();
  const refuse = (): void => undefined;
  const send = () => order.beforeHosts(() => Promise.resolve(), refuse);
  await send();
  order.reset();
  order.hostStatementEnded();
  await send();

  let waits = 0;
  const whenIdle = async (): Promise<void> => {
    waits++;
    order.hostStatementEnded();
  };
  await order.beforeOurs(whenIdle, refuse);

  expect(waits).toBe(1);
});
