import fc from 'fast-check';
import { type OrderEventDto, type OrderEventQuery } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject } from '../support/client.js';
import { onlyWhere } from '../support/database.js';
import { addEvents } from '../support/rows.js';
import { inTransaction } from '../support/transactions.js';

const typed = ['order.placed', 'note.added', 'order.paid'];
const start = Date.parse('2026-01-31T12:00:00Z');

/** The query without its cursor. */
type Pages = Omit<OrderEventQuery, 'cursor'>;

describe('the pages of a history', () => {
  const host = mounted();
  let count = 0;
  const freshOrder = () => ({ projectId: freshProject(), orderId: `o-${++count}` });

  /** @param meanwhile runs after each page */
  async function allPages(
    { projectId, orderId }: { projectId: string; orderId: string },
    query: Pages,
    meanwhile?: () => Promise<void>,
  ): Promise<(readonly OrderEventDto[])[]> {
    const pages: (readonly OrderEventDto[])[] = [];
    let cursor: string | null = null;
    do {
      const { data: events, next } = await host.events.list({ projectId, orderId }, { ...query, cursor });
      pages.push(events);
      if (pages.length > 100) throw new Error('The pages have no end.');
      cursor = next;
      await meanwhile?.();
    } while (cursor !== null);
    return pages;
  }

  const event = fc.record({ type: fc.constantFrom(...typed), second: fc.integer({ min: 0, max: 4 }) });
  const pages: fc.Arbitrary<Pages> = fc
    .record(
      {
        limit: fc.integer({ min: 1, max: 6 }),
        types: fc.subarray(typed, { minLength: 1 }),
        excludeTypes: fc.subarray(typed),
        newestFirst: fc.boolean(),
      },
      { requiredKeys: ['limit'] },
    )
    .filter(({ types, excludeTypes }) => !types || !excludeTypes);
  const meanwhile = fc.array(fc.array(event, { maxLength: 3 }), { maxLength: 6 });

  it('are parts of a sorted list, whatever is recorded between two of them', async () => {
    const property = fc.asyncProperty(
      fc.array(event, { maxLength: 20 }),
      meanwhile,
      pages,
      async (before, later, query) => {
        const order = freshOrder();
        const record = ({ type, second }: { type: string; second: number }) =>
          host.events.record(order, {
            type,
            occurred_at: new Date(start + second * 1000),
          });
        // The events are in the order of recording.
        const recorded: OrderEventDto[] = [];
        const recordAll = async (some: readonly { type: string; second: number }[]): Promise<void> => {
          for (const each of some) {
            const { repeated: _repeated, ...stored } = await record(each);
            recorded.push(stored);
          }
        };
        /** @returns the events that a reader of the pages should see now */
        const sorted = (): OrderEventDto[] => {
          const oldestFirst = recorded
            .filter(({ type }) => query.types?.includes(type) ?? !query.excludeTypes?.includes(type))
            .toSorted((a, b) => Date.parse(a.occurred_at) - Date.parse(b.occurred_at));
          return query.newestFirst ? oldestFirst.toReversed() : oldestFirst;
        };
        await recordAll(before);
        const first = sorted();
        const steps = later.values();
        const moments = [sorted()];

        const read = await allPages(order, query, async () => {
          await recordAll(steps.next().value ?? []);
          moments.push(sorted());
        });

        const shown = read.flat();
        expect(new Set(shown.map(({ id }) => id)).size).toBe(shown.length);
        expect(first.filter(({ id }) => !shown.some((one) => one.id === id))).toEqual([]);
        for (const [index, page] of read.entries()) {
          const last = read.slice(0, index).flat().at(-1);
          const moment = moments[index] ?? [];
          const from = last ? moment.findIndex(({ id }) => id === last.id) + 1 : 0;
          expect(page).toEqual(moment.slice(from, from + (query.limit ?? 0)));
        }
      },
    );
    await fc.assert(property, { seed: 7, numRuns: 40 });
  });

  it('have 50 events by default, and 200 at most', async () => {
    const order = freshOrder();
    await addEvents(host.dataSource.manager, order, 201);

    const defaults = await allPages(order, {});
    const largest = await allPages(order, { limit: 200, newestFirst: true });

    expect(defaults.map((page) => page.length)).toEqual([50, 50, 50, 50, 1]);
    expect(largest.map((page) => page.length)).toEqual([200, 1]);
    expect(defaults.flat()).toEqual(await host.events.findAll(order));
    expect(largest.flat()).toEqual(defaults.flat().toReversed());
  });

  it('end with no cursor, even if the last page is full', async () => {
    const order = freshOrder();
    const { projectId, orderId } = order;
    await addEvents(host.dataSource.manager, order, 4);

    const { next } = await host.events.list({ projectId, orderId }, { limit: 2 });
    const last = await host.events.list({ projectId, orderId }, { limit: 2, cursor: next });

    expect(last.data).toHaveLength(2);
    expect(last.next).toBeNull();
    expect(await host.events.list({ projectId, orderId: 'unknown' })).toEqual({ data: [], next: null });
    expect(await host.events.list({ projectId, orderId }, { types: [] })).toEqual({ data: [], next: null });
  });

  it('show each event once when all of them happened in the same millisecond', async () => {
    const order = freshOrder();
    await addEvents(host.dataSource.manager, order, 60, (n) => ({ type: typed[n % 3] ?? '' }));
    const listed = await host.events.findAll(order);

    for (const query of [{}, { types: ['order.paid', 'note.added'] }]) {
      const wanted = listed.filter(({ type }) => query.types?.includes(type) ?? true);

      const oldestFirst = (await allPages(order, { ...query, limit: 7 })).flat();
      const newestFirst = (await allPages(order, { ...query, limit: 7, newestFirst: true })).flat();

      expect(oldestFirst).toEqual(wanted);
      expect(newestFirst).toEqual(wanted.toReversed());
    }
  });

  it.each(['0001-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'])(
    'continue after an event with the time %s',
    async (occurredAt) => {
      const order = freshOrder();
      for (const type of typed) await host.events.record(order, { type, occurred_at: occurredAt });

      const read = await allPages(order, { limit: 1 });

      expect(read.map(([only]) => only?.type)).toEqual(typed);
    },
  );

  it('show the events of their transaction, until they are rolled back', async () => {
    const order = freshOrder();
    const { projectId, orderId } = order;
    await host.events.record(order, { type: 'order.placed' });
    const typesOf = async (options = {}): Promise<string[]> => {
      const { data: events } = await host.events.list({ projectId, orderId }, { newestFirst: true }, options);
      return events.map(({ type }) => type);
    };

    const rolledBack = inTransaction(host.dataSource, async (manager) => {
      await host.events.record(order, { type: 'order.paid' }, { manager });
      expect(await typesOf({ manager })).toEqual(['order.paid', 'order.placed']);
      throw new Error('undone');
    });

    await expect(rolledBack).rejects.toThrow('undone');
    expect(await typesOf()).toEqual(['order.placed']);
  });

  // A transaction that waits would hold up the reader on the one connection.
  onlyWhere('severalConnections', () => {
    it('show each event once, and an event that is committed late at most once', async () => {
      for (const newestFirst of [false, true]) {
        const order = freshOrder();
        const occurredAt = new Date(start);
        const record = (type: string, options = {}) =>
          host.events.record(order, { type, occurred_at: occurredAt }, options);
        await record('before.one');
        let commit = (): void => undefined;
        const mayCommit = new Promise<void>((resolve) => (commit = resolve));
        const late = await new Promise<{ committed: Promise<void> }>((resolve, reject) => {
          const committed: Promise<void> = host.dataSource.transaction(async (manager) => {
            await record('late.event', { manager });
            resolve({ committed });
            await mayCommit;
          });
          committed.catch(reject);
        });
        await record('before.two');
        await record('before.three');
        let read = 0;

        const shown = await allPages(order, { limit: 1, newestFirst }, async () => {
          if (++read !== 2) return;
          commit();
          await late.committed;
        });

        // When it is committed, a reader who begins with the oldest event has passed its place. Another reader has not.
        const types = shown.flat().map(({ type }) => type);
        const all = ['before.one', 'late.event', 'before.two', 'before.three'];
        expect(types).toEqual(newestFirst ? all.toReversed() : all.filter((type) => type !== 'late.event'));
      }
    });
  });

  it('are refused with all violations of the query', async () => {
    const query = { limit: 0, types: ['paid', 'sent'], newestFirst: 1, cursor: 'none', pag: 1 };

    const asked = host.events.list({ projectId: 'a b', orderId: 'c d' }, query as never);

    const names = ['projectId', 'orderId', 'pag', 'limit', 'types', 'types', 'newestFirst', 'cursor'];
    await expect(asked).rejects.toMatchObject({ violations: names.map((parameter) => ({ parameter })) });
  });

  it('begin at the position of the cursor, whatever the other parameters are', async () => {
    const order = freshOrder();
    const { projectId, orderId } = order;
    await addEvents(host.dataSource.manager, order, 3);
    const { data: all } = await host.events.list({ projectId, orderId });
    const { next: cursor } = await host.events.list({ projectId, orderId }, { limit: 2 });

    const older = await host.events.list({ projectId, orderId }, { newestFirst: true, cursor });
    const another = await host.events.list({ projectId, orderId: 'another' }, { cursor });

    expect(older.data).toEqual(all.slice(0, 1));
    expect(another).toEqual({ data: [], next: null });
  });
});
