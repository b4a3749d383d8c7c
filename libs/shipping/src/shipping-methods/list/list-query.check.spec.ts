import { describe, expect, it, vi } from 'vitest';
import { type Violation, Violations, InvalidParameterError } from '../../validation/violations.js';
import { checkListQuery } from './list-query.check.js';

/** @returns the violations of a query, as a caller of the services gets them */
const violationsOf = (query: unknown): readonly Violation[] => {
  const violations = new Violations();
  checkListQuery(violations, query, 100);
  try {
    violations.throwIfAny();
  } catch (error) {
    if (error instanceof InvalidParameterError) return error.violations;
  }
  return [];
};

/** It takes seconds to normalise this text. */
const marks = '\u0301\u0316'.repeat(100_000);
const raw = (...conditions: unknown[]): object => ({ raw_filters: conditions });
const active = { field: 'is_active', op: 'eq', value: true };

describe('the query of a list, from a caller of the services,', () => {
  it.each<[query: unknown, parameter: string, code: string, detail: string]>([
    [[], 'query', 'type', 'must be an object'],
    [null, 'query', 'type', 'must be an object'],
    [{ page: '1' }, 'page', 'type', 'an integer'],
    [{ page: 1.5 }, 'page', 'type', 'an integer'],
    [{ page: Number.NaN }, 'page', 'range', '1 to'],
    [{ page: Number.POSITIVE_INFINITY }, 'page', 'range', '1 to'],
    [{ q: 7 }, 'q', 'type', 'string'],
    [{ filter: [] }, 'filter', 'type', 'JSON object'],
    [{ raw_filters: {} }, 'raw_filters', 'type', 'JSON array'],
    [raw({ ...active, field: 7 }), 'raw_filters', 'type', 'field must be a string'],
    [raw({ ...active, field: 'x' }), 'raw_filters', 'unknown', '"x"'],
    [
      raw({ field: 'method_label', op: 'contains', value: '\u0301' }),
      'raw_filters',
      'length',
      'not an accent',
    ],
    [raw({ ...active, op: 'gt' }), 'raw_filters', 'not_allowed', 'op "gt" does not fit is_active'],
    [raw({ ...active, value: null }), 'raw_filters', 'type', '{"field":"is_active","op":"null"'],
    [raw({ field: 'sort_order', op: 'eq', value: 2 ** 31 }), 'raw_filters', 'range', 'from -2147483648'],
    [raw({ field: 'sort_order', op: 'between', value: [2, 1] }), 'raw_filters', 'range', 'not be greater'],
    [
      raw({
        field: 'created_at',
        op: 'between',
        value: ['2026-01-01T00:00:00.0011Z', '2026-01-01T00:00:00.001Z'],
      }),
      'raw_filters',
      'range',
      'not be greater',
    ],
    [
      raw({
        field: 'created_at',
        op: 'between',
        value: ['2026-01-01T00:00:00.000000002Z', '2026-01-01T00:00:00.000000001Z'],
      }),
      'raw_filters',
      'range',
      'not be greater',
    ],
  ])('%j is refused at %s: %s, %s', (query, parameter, code, detail) => {
    expect(violationsOf(query)).toEqual([
      expect.objectContaining({ parameter, code, detail: expect.stringContaining(detail) }),
    ]);
  });

  it.each<[parameter: string, code: string, query: object]>([
    ['q', 'length', { q: marks }],
    ['filter', 'too_large', { filter: { method_label: marks } }],
    ['filter', 'too_large', { filter: { method_label: Array.from({ length: 5 }, () => 'x'.repeat(1000)) } }],
    ['filter', 'too_large', { filter: { method_label: ['é'.repeat(1024), 'é'.repeat(1024), 'x'] } }],
    ['raw_filters', 'too_large', raw({ field: 'method_label', op: 'contains', value: marks })],
    ['raw_filters', 'too_large', raw({ field: 'method_code', op: 'starts', value: marks })],
    ['raw_filters', 'too_large', raw({ field: 'created_at', op: 'lt', value: marks })],
  ])('is refused for a text that is too long before it is normalised: %s %s', (parameter, code, query) => {
    const normalize = vi.spyOn(String.prototype, 'normalize').mockReturnValue('');

    const found = violationsOf(query);
    const calls = normalize.mock.calls.length;
    normalize.mockRestore();

    expect(found).toEqual([expect.objectContaining({ parameter, code })]);
    expect(calls).toBe(0);
  });

  it.each([
    raw({ field: 'sort_order', op: 'eq', value: 2 ** 31 - 1 }),
    raw({ field: 'sort_order', op: 'between', value: [1, 1] }),
    raw({ field: 'method_code', op: 'between', value: ['Z', 'Z'] }),
    raw({
      field: 'created_at',
      op: 'between',
      value: ['2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.0011Z'],
    }),
  ])('%j is accepted', (query) => {
    expect(violationsOf(query)).toEqual([]);
  });

  it('becomes folded words and normalised values', () => {
    const id = '019AA0B2-5C00-7A41-9D2B-6F0C8E1B7A35';

    const checked = checkListQuery(
      new Violations(),
      { q: '  Grün\t UPS ', filter: { id, method_label: 'e\u0301', method_code: 'E\u0301' } },
      100,
    );

    expect(checked).toEqual({
      page: 1,
      perPage: 20,
      words: ['grun', 'ups'],
      groups: [
        [{ field: 'id', op: 'in', values: [id.toLowerCase()] }],
        [{ field: 'method_label', op: 'in', values: ['\u00E9'] }],
        [{ field: 'method_code', op: 'in', values: ['E\u0301'] }],
      ],
    });
  });
});
