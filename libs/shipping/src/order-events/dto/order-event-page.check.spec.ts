import { describe, expect, it } from 'vitest';
import { InvalidParameterError, type Violation, Violations } from '../../validation/violations.js';
import { cursorOf } from '../event-cursor.js';
import { checkEventQuery } from './order-event-page.check.js';

function violationsOf(query: unknown): readonly Violation[] {
  const violations = new Violations();
  checkEventQuery(violations, query);
  try {
    violations.throwIfAny();
  } catch (error) {
    if (error instanceof InvalidParameterError) return error.violations;
    throw error;
  }
  return [];
}

describe('the query of a page of events', () => {
  it.each<[query: unknown, parameter: string, code: string]>([
    [{ limit: 0 }, 'limit', 'range'],
    [{ limit: 201 }, 'limit', 'range'],
    [{ limit: 1.5 }, 'limit', 'type'],
    [{ limit: '5' }, 'limit', 'type'],
    [{ types: 'order.paid' }, 'types', 'type'],
    [{ types: ['order.paid', 7] }, 'types', 'type'],
    [{ types: ['paid'] }, 'types', 'format'],
    [{ types: [`a.${'b'.repeat(63)}`] }, 'types', 'length'],
    [{ types: Array(51).fill('a.b') }, 'types', 'too_many'],
    [{ excludeTypes: 'order.paid' }, 'excludeTypes', 'type'],
    [{ excludeTypes: ['paid'] }, 'excludeTypes', 'format'],
    [{ excludeTypes: [], types: [] }, 'excludeTypes', 'not_allowed'],
    [{ newestFirst: 'yes' }, 'newestFirst', 'type'],
    [{ cursor: 7 }, 'cursor', 'type'],
    [{ cursor: '' }, 'cursor', 'format'],
    [{ cursor: 'x'.repeat(129) }, 'cursor', 'length'],
    [{ cursor: Buffer.from('2026-02-30T00:00:00.000Z 1').toString('base64url') }, 'cursor', 'format'],
    [{ cursor: Buffer.from('2026-01-31T00:00:00.000Z').toString('base64url') }, 'cursor', 'format'],
    [{ cursor: cursorOf({ occurred_at: '2026-01-31T00:00:00.000Z', seq: 2 ** 53 }) }, 'cursor', 'format'],
    [{ page: 2 }, 'page', 'unknown'],
    ['newest', 'query', 'type'],
  ])('%j is refused at %s: %s', (query, parameter, code) => {
    expect(violationsOf(query)).toMatchObject([{ parameter, code }]);
  });

  it.each([
    {},
    { limit: 1 },
    { limit: 200 },
    { types: Array(50).fill('a.b') },
    { excludeTypes: Array(50).fill('a.b'), types: undefined },
    { newestFirst: false, cursor: null },
    { cursor: cursorOf({ occurred_at: '9999-12-31T23:59:59.999Z', seq: Number.MAX_SAFE_INTEGER }) },
  ])('%j is accepted', (query) => {
    expect(violationsOf(query)).toEqual([]);
  });
});
