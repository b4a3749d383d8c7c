import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { DatabaseUnavailableError, toShippingError, OutcomeUnknownError } from 'nestjs-shipping';
import { type EntityManager, type EntitySubscriberInterface } from 'typeorm';
import { expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';
import { onlyWhere } from '../support/database.js';

/** What a host does in a transaction, one after another. */
type Program = readonly Step[];
type Step =
  | { does: 'record' | 'create' }
  | { does: 'nested'; program: Program; throws: boolean }
  /** The calls run beside the nested transaction, so they may belong to it. */
  | { does: 'parallel'; calls: number; nested: Step | undefined };

/** When a subscriber of the host fails. */
interface Failure {
  at: 'beforeTransactionCommit' | 'beforeTransactionRollback' | 'beforeTransactionStart';
  /** How many such moments pass first. */
  after: number;
}

interface Run {
  program: Program;
  throws: boolean;
  failure: Failure | undefined;
  /** The DataSource is closed so many milliseconds after the start. */
  closesAfterMs: number | undefined;
}

/** A call that the host has made, and the transactions in which it was made, outermost first. */
interface Call {
  name: string;
  /** Unknown after a COMMIT without a response. */
  outcome: 'succeeded' | 'failed' | 'unknown';
  inside: Nested[];
  /** Whether the call may also belong to these transactions, because it ran beside them. */
  beside: Nested[];
}
interface Nested {
  outcome: 'committed' | 'rolled back' | 'unknown';
}

const isUnknown = (error: unknown): boolean => toShippingError(error) instanceof OutcomeUnknownError;

const { step } = fc.letrec<{ step: Step; nested: Step; program: Program }>((tie) => ({
  program: fc.array(tie('step'), { maxLength: 3 }),
  nested: fc.record({
    does: fc.constant('nested' as const),
    program: tie('program'),
    throws: fc.boolean(),
  }),
  step: fc.oneof(
    { maxDepth: 3 },
    fc.record({ does: fc.constantFrom('record' as const, 'create' as const) }),
    fc.record({
      does: fc.constant('parallel' as const),
      calls: fc.integer({ min: 1, max: 3 }),
      nested: fc.option(tie('nested'), { nil: undefined }),
    }),
    tie('nested'),
  ),
}));

// A subscriber must not fail before a nested transaction begins: TypeORM then forgets the outer one.
const failure = fc.oneof<fc.Arbitrary<Failure>[]>(
  fc.constant({ at: 'beforeTransactionStart', after: 0 }),
  fc.record({
    at: fc.constantFrom('beforeTransactionCommit' as const, 'beforeTransactionRollback' as const),
    after: fc.nat({ max: 2 }),
  }),
);

const runs = fc.record<Run>({
  program: fc.array(step, { minLength: 1, maxLength: 4 }),
  throws: fc.boolean(),
  failure: fc.option(failure, { nil: undefined }),
  closesAfterMs: fc.oneof(
    { weight: 9, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.nat({ max: 20 }) },
  ),
});

const numRuns = Number(process.env['RANDOM_PROGRAMS'] ?? 25);

onlyWhere('connections', () => {
  const host = mounted();

  /** Fails once. TypeORM calls it before a transaction begins or ends. */
  const subscriberThatFails = ({ at, after }: Failure): EntitySubscriberInterface => {
    let left = after;
    return {
      [at]: () => (left-- === 0 ? Promise.reject(new Error('The subscriber fails.')) : Promise.resolve()),
    };
  };

  const call = async (
    project: string,
    made: Call[],
    does: 'record' | 'create',
    manager: EntityManager | undefined,
    inside: Nested[],
    beside: Nested[] = [],
  ): Promise<void> => {
    const one: Call = { name: `call.n${made.length}`, outcome: 'failed', inside, beside };
    made.push(one);
    const options = manager ? { manager } : {};
    const calling =
      does === 'record'
        ? host.events.record({ projectId: project, orderId: 'o' }, { type: one.name }, options)
        : host.methods.create(project, { ...ground, method_code: one.name }, options);
    await calling.then(
      () => (one.outcome = 'succeeded'),
      (error: unknown) => (one.outcome = isUnknown(error) ? 'unknown' : 'failed'),
    );
  };

  const runStep = async (
    project: string,
    made: Call[],
    manager: EntityManager,
    inside: Nested[],
    does: Step,
  ): Promise<void> => {
    if (does.does === 'nested') await runNested(project, made, manager, inside, does);
    else if (does.does === 'parallel') {
      const nested: Nested = { outcome: 'rolled back' };
      const calls = Array.from({ length: does.calls }, (_, index) =>
        call(project, made, index % 2 ? 'create' : 'record', manager, inside, [nested]),
      );
      const { nested: beside } = does;
      if (beside?.does !== 'nested') nested.outcome = 'committed';
      else calls.push(runNested(project, made, manager, inside, beside, nested));
      await Promise.allSettled(calls);
    } else await call(project, made, does.does, manager, inside);
  };

  const runNested = async (
    project: string,
    made: Call[],
    manager: EntityManager,
    outer: Nested[],
    { program, throws }: Step & { does: 'nested' },
    nested: Nested = { outcome: 'rolled back' },
  ): Promise<void> => {
    const inside = [...outer, nested];
    await manager
      .transaction(async (inner) => {
        for (const each of program) await runStep(project, made, inner, inside, each);
        if (throws) throw new Error('The host undoes a nested transaction.');
      })
      .then(
        () => (nested.outcome = 'committed'),
        () => undefined,
      );
  };

  const storedIn = async (project: string): Promise<string[]> => [
    ...(await host.events.findAll({ projectId: project, orderId: 'o' })).map(({ type }) => type),
    ...(await host.methods.list(project, { per_page: 100 })).data.map(({ method_code }) => method_code),
  ];

  it(
    'stores what a random program has committed, and nothing that it has rolled back',
    { timeout: 20_000 + numRuns * 2_000 },
    async () => {
      const { dataSource } = host;
      const controls = freshProject();
      let recorded = 0;

      const property = fc.asyncProperty(runs, async ({ program, throws, failure: fails, closesAfterMs }) => {
        const project = freshProject();
        const made: Call[] = [];
        const root: Nested = { outcome: 'rolled back' };
        if (fails) dataSource.subscribers.push(subscriberThatFails(fails));

        const running = dataSource
          .transaction(async (manager) => {
            for (const each of program) await runStep(project, made, manager, [root], each);
            if (throws) throw new Error('The host undoes the transaction.');
          })
          .then(
            () => (root.outcome = 'committed'),
            (error: unknown) => void (isUnknown(error) && (root.outcome = 'unknown')),
          );
        const stranger = call(project, made, 'record', undefined, []);
        const closing =
          // The embedded database has no connection that ends.
          closesAfterMs === undefined || host.app.database.isEmbedded
            ? Promise.resolve()
            : delay(closesAfterMs).then(() => dataSource.destroy());
        const end = await Promise.race([
          Promise.all([running, stranger, closing]),
          delay(15_000, 'stuck', { ref: false }),
        ]);
        if (fails) dataSource.subscribers.pop();
        if (!dataSource.isInitialized) await dataSource.initialize();

        // Whatever has happened, each connection of the pool stores what it acknowledges.
        for (let times = 0; times < 3; times++)
          await host.events.record({ projectId: controls, orderId: 'o' }, { type: 'call.control' }).then(
            () => (recorded += 1),
            (error: unknown) => {
              // Without its ROLLBACK, a transaction keeps its locks, and on MySQL another connection may wait for them.
              const mayWait = fails?.at === 'beforeTransactionRollback';
              if (!mayWait || !(error instanceof DatabaseUnavailableError) || error.contention !== 'lock')
                throw error;
            },
          );
        const stored = await storedIn(project);
        const must = made.filter(
          ({ outcome, inside, beside }) =>
            outcome === 'succeeded' && [...inside, ...beside].every((each) => each.outcome === 'committed'),
        );
        const may = made.filter(
          ({ outcome, inside }) =>
            outcome !== 'failed' && inside.every((each) => each.outcome !== 'rolled back'),
        );
        expect(end).not.toBe('stuck');
        expect(stored).toEqual(expect.arrayContaining(must.map(({ name }) => name)));
        expect(may.map(({ name }) => name)).toEqual(expect.arrayContaining(stored));
      });
      await fc.assert(property, { seed: 7, numRuns, endOnFailure: true });

      await dataSource.destroy();
      await dataSource.initialize();
      expect(await host.events.findAll({ projectId: controls, orderId: 'o' })).toHaveLength(recorded);
    },
  );
});
