import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type QueryRunner } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { embeddedPostgres } from '../testing/embedded-database.js';
import { Transactions } from './transactions.js';

let dataSource: DataSource;
let transactions: Transactions;
let log: string[];
beforeAll(async () => {
  dataSource = await new DataSource(await embeddedPostgres()).initialize();
  await dataSource.query('CREATE TABLE note (text text)');
  transactions = new Transactions();
  transactions.subscribeTo(dataSource);
});
afterAll(() => dataSource?.destroy());
beforeEach(async () => {
  log = [];
  await dataSource.query('DELETE FROM note');
});

/** Work that takes several turns of the event loop, and notes when it begins and ends. */
const work = (name: string, inner?: () => Promise<unknown>) => async (): Promise<string> => {
  log.push(`${name} begins`);
  await delay(5);
  await inner?.();
  log.push(`${name} ends`);
  return name;
};
const write = (runner: QueryRunner, text: string) => () =>
  runner.query('INSERT INTO note VALUES ($1)', [text]);
const notes = async (): Promise<string[]> =>
  (await dataSource.query<{ text: string }[]>('SELECT text FROM note ORDER BY 1')).map(({ text }) => text);

/** In a transaction of TypeORM on the only connection. */
function inTransaction<Result>(given: (runner: QueryRunner) => Promise<Result>): Promise<Result> {
  return dataSource.transaction(({ queryRunner }) => {
    if (!queryRunner) throw new Error('A transaction has a query runner.');
    return given(queryRunner);
  });
}

const unavailable = (cause: RegExp) => ({
  code: 'database_unavailable',
  cause: { message: expect.stringMatching(cause) },
});

describe('calls on one connection', () => {
  it('run one after another, in the order in which they came', async () => {
    const results = await inTransaction((runner) =>
      Promise.all(['a', 'b', 'c'].map((name) => transactions.inTurn(runner, work(name)))),
    );

    expect(results).toEqual(['a', 'b', 'c']);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('go on after a call that failed', async () => {
    const outcomes = await inTransaction((runner) =>
      Promise.allSettled([
        transactions.inTurn(runner, () => Promise.reject(new Error('refused'))),
        transactions.inTurn(runner, work('next')),
      ]),
    );

    expect(outcomes).toMatchObject([{ reason: { message: 'refused' } }, { value: 'next' }]);
  });

  it('do not wait for calls on another connection', async () => {
    const [one, other] = [dataSource.createQueryRunner(), dataSource.createQueryRunner()];

    await Promise.all([transactions.inTurn(one, work('a')), transactions.inTurn(other, work('b'))]);

    expect(log).toEqual(['a begins', 'b begins', 'a ends', 'b ends']);
  });
});

describe('a call that is made inside of another call', () => {
  it('is part of it: it does not wait for its end, and the next call waits for both', async () => {
    await inTransaction((runner) =>
      Promise.all([
        transactions.inTurn(
          runner,
          work('outer', () => transactions.inTurn(runner, work('inner'))),
        ),
        transactions.inTurn(runner, work('next')),
      ]),
    );

    expect(log).toEqual([
      'outer begins',
      'inner begins',
      'inner ends',
      'outer ends',
      'next begins',
      'next ends',
    ]);
  });

  it('runs alone among those that the other call makes at the same time', async () => {
    await inTransaction((runner) =>
      transactions.inTurn(
        runner,
        work('outer', () => Promise.all(['a', 'b'].map((name) => transactions.inTurn(runner, work(name))))),
      ),
    );

    expect(log).toEqual(['outer begins', 'a begins', 'a ends', 'b begins', 'b ends', 'outer ends']);
  });

  it('holds up the next call even if the other call does not wait for it', async () => {
    await inTransaction(async (runner) => {
      const outer = transactions.inTurn(runner, () => {
        void transactions.inTurn(runner, work('inner'));
        return Promise.resolve();
      });
      await Promise.all([outer, transactions.inTurn(runner, work('next'))]);
    });

    expect(log).toEqual(['inner begins', 'inner ends', 'next begins', 'next ends']);
  });

  it('waits for its turn when the other call is over', async () => {
    await inTransaction(async (runner) => {
      let late: Promise<unknown> | undefined;
      const gate = delay(10);
      await transactions.inTurn(runner, () => {
        late = gate.then(() => transactions.inTurn(runner, work('late')));
        return Promise.resolve();
      });
      await Promise.all([
        transactions.inTurn(
          runner,
          work('next', () => delay(20)),
        ),
        late,
      ]);
    });

    expect(log).toEqual(['next begins', 'next ends', 'late begins', 'late ends']);
  });

  it('may begin a nested transaction', async () => {
    await inTransaction((runner) =>
      transactions.inTurn(runner, () => runner.manager.transaction(() => write(runner, 'nested')())),
    );

    expect(await notes()).toEqual(['nested']);
  });
});

describe('the end of a transaction', () => {
  it('waits for the calls that came before it', async () => {
    await inTransaction((runner) => {
      void transactions.inTurn(runner, work('a', write(runner, 'a')));
      void transactions.inTurn(runner, work('b', write(runner, 'b')));
      return Promise.resolve();
    });

    expect(await notes()).toEqual(['a', 'b']);
  });

  it('waits for them when it is a rollback too', async () => {
    const ended = inTransaction((runner) => {
      void transactions.inTurn(runner, work('a', write(runner, 'a')));
      return Promise.reject(new Error('undone'));
    });

    await expect(ended).rejects.toThrow('undone');
    expect(log).toEqual(['a begins', 'a ends']);
    expect(await notes()).toEqual([]);
  });

  it.each(['SELECT 1', 'SELECT no_such_column'])(
    'of a nested transaction waits for them: after %s',
    async (sql) => {
      await inTransaction(async (runner) => {
        const call = transactions.inTurn(runner, work('a', write(runner, 'a')));
        await runner.manager.transaction(({ queryRunner }) => queryRunner!.query(sql)).catch(() => undefined);
        await call;
      });

      expect(await notes()).toEqual(['a']);
    },
  );

  it.each([
    ['a COMMIT', false, ['first half', 'second half']],
    ['a ROLLBACK', true, []],
  ])('waits for a call that follows one for which it waits: %s', async (_end, isUndone, expected) => {
    let following: Promise<unknown> | undefined;
    const two = (runner: QueryRunner) => async (): Promise<void> => {
      await write(runner, 'first half')();
      await delay(5);
      await write(runner, 'second half')();
    };

    await inTransaction((runner) => {
      following = transactions.inTurn(runner, work('a')).then(() => transactions.inTurn(runner, two(runner)));
      return isUndone ? Promise.reject(new Error('undone')) : Promise.resolve();
    }).catch(() => undefined);
    await following;

    expect(await notes()).toEqual(expected);
  });

  it('refuses a call whose turn comes after it', async () => {
    const refused = await inTransaction(async (runner) => {
      void transactions.inTurn(
        runner,
        work('a', () => delay(20)),
      );
      const late = transactions.inTurn(runner, work('late')).catch((error: unknown) => error);
      await runner.query('COMMIT');
      const outcome = await late;
      await runner.query('START TRANSACTION');
      return outcome;
    });

    expect(refused).toMatchObject(unavailable(/had ended/));
    expect(log).toEqual(['a begins', 'a ends']);
  });

  it('refuses a call whose connection was given back', async () => {
    const runner = dataSource.createQueryRunner();
    const first = transactions.inTurn(runner, () => runner.release());
    const call = transactions.inTurn(runner, work('a'));
    await first;

    await expect(call).rejects.toMatchObject(unavailable(/had ended/));
    expect(log).toEqual([]);
  });
});

describe('an action after the COMMIT', () => {
  const note = (name: string) => () => void log.push(name);

  it('runs after the outermost COMMIT', async () => {
    await inTransaction(async (runner) => {
      await runner.manager.transaction(() => {
        transactions.afterCommit(runner, note('inner'));
        return Promise.resolve();
      });
      transactions.afterCommit(runner, note('outer'));
      log.push('before the COMMIT');
    });

    expect(log).toEqual(['before the COMMIT', 'inner', 'outer']);
  });

  it('does not run after a rollback', async () => {
    const undone = inTransaction((runner) => {
      transactions.afterCommit(runner, note('undone'));
      return Promise.reject(new Error('undone'));
    });
    await undone.catch(() => undefined);
    await inTransaction(() => Promise.resolve());

    expect(log).toEqual([]);
  });

  it('does not run when only its nested transaction was rolled back', async () => {
    await inTransaction(async (runner) => {
      transactions.afterCommit(runner, note('outer'));
      const nested = runner.manager.transaction(() => {
        transactions.afterCommit(runner, note('inner'));
        return Promise.reject(new Error('undone'));
      });
      await nested.catch(() => undefined);
    });

    expect(log).toEqual(['outer']);
  });

  it('runs at once where no transaction is open', async () => {
    const runner = dataSource.createQueryRunner();
    transactions.afterCommit(runner, note('now'));
    await runner.release();

    expect(log).toEqual(['now']);
  });
});

describe('a transaction in which a call has failed by half', () => {
  it('cannot be committed, and accepts no further call', async () => {
    let next: unknown;
    const committed = inTransaction(async (runner) => {
      await write(runner, 'half')();
      transactions.fail(runner);
      next = await transactions.inTurn(runner, work('next')).catch((error: unknown) => error);
    });

    await expect(committed).rejects.toThrow('was rolled back');
    expect(next).toMatchObject(unavailable(/had failed: roll it back/));
    expect([log, await notes()]).toEqual([[], []]);
  });

  it('may be a nested one, which alone is rolled back', async () => {
    await inTransaction(async (runner) => {
      await write(runner, 'outer')();
      const nested = runner.manager.transaction(async () => {
        await write(runner, 'half')();
        transactions.fail(runner);
      });
      await expect(nested).rejects.toThrow('was rolled back');
      await transactions.inTurn(runner, write(runner, 'next'));
    });

    expect(await notes()).toEqual(['next', 'outer']);
  });
});

describe('a COMMIT that PostgreSQL answers with a rollback', () => {
  const commitAfterAFailure = (isOurs: boolean): Promise<void> =>
    inTransaction(async (runner) => {
      if (isOurs) await transactions.inTurn(runner, write(runner, 'ours'));
      else await write(runner, 'theirs')();
      await runner.query('SELECT no_such_column').catch(() => undefined);
    });

  it('is an error where a call of ours was part of the transaction', async () => {
    await expect(commitAfterAFailure(true)).rejects.toThrow('was rolled back');
    expect(await notes()).toEqual([]);
  });

  it("is the host's own affair where none was", async () => {
    await expect(commitAfterAFailure(false)).resolves.toBeUndefined();
  });
});
