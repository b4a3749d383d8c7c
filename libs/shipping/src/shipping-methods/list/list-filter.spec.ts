import { describe, expect, it, vi } from 'vitest';
import { Violations } from '../../validation/violations.js';
import { type FilterOperator, operatorNames } from './list-operators.js';
import { EffectiveMethod, type StoredMethod } from '../effective-method.js';
import { matches } from './list-filter.js';
import { checkListQuery } from './list-query.check.js';
import { type FilterField } from '../method-fields.js';
import { idOf, storedMethod } from '../stored-method.sample.js';

/** Tells whether a list with this query shows the method. */
function shows(method: EffectiveMethod, query: object): boolean {
  const violations = new Violations();
  const checked = checkListQuery(violations, query, 100);
  violations.throwIfAny();
  return matches(method, checked);
}

type Case = [
  field: FilterField,
  stored: StoredMethod[FilterField],
  op: FilterOperator,
  value: unknown,
  isShown: boolean,
];

const time = '2026-01-31T09:30:00.123Z';
const code: Case[] = [
  ['method_code', 'Ground', 'eq', 'Ground', true],
  ['method_code', 'Ground', 'eq', 'ground', false],
  ['method_code', 'É', 'eq', 'E\u0301', false],
  ['method_code', 'Ground', 'ne', 'Ground', false],
  ['method_code', 'Ground', 'in', ['ground', 'Ground'], true],
  ['method_code', 'Ground', 'in', [], false],
  ['method_code', 'Ground', 'nin', ['Ground'], false],
  ['method_code', 'Ground', 'nin', ['ground'], true],
  ['method_code', 'Ground', 'nin', [], true],
  ['method_code', 'Ground', 'contains', 'ROUN', true],
  ['method_code', 'Ground', 'contains', 'round ', false],
  ['method_code', 'Straße', 'contains', 'SSE', true],
  ['method_code', 'Łódź', 'contains', 'LODZ', true],
  ['method_code', 'Łódź', 'in', ['Lodz'], false],
  ['method_code', 'ΟΔΟΣ', 'contains', 'ος', true],
  ['method_code', 'a_b', 'contains', '_', true],
  ['method_code', 'a-b', 'contains', '_', false],
  ['method_code', 'Ground', 'starts', 'gR', true],
  ['method_code', 'Ground', 'starts', 'round', false],
  // By code point, capital letters come before small ones. A dictionary has another order.
  ['method_code', 'Z', 'lt', 'a', true],
  ['method_code', 'Z', 'gt', 'a', false],
  ['method_code', 'a', 'gte', 'a', true],
  // In UTF-16, the emoji would come before U+FFFD.
  ['method_code', '𝒰', 'gt', '\uFFFD', true],
  ['method_code', '𝒰', 'lte', '\uFFFD', false],
  ['method_code', '𝒰', 'between', ['\uE000', '\u{10FFFF}'], true],
  ['method_code', 'a', 'between', ['a', 'a'], true],
  ['method_code', 'a', 'null', true, false],
  ['method_code', 'a', 'null', false, true],
];
const label: Case[] = [
  ['carrier_label', 'É', 'eq', 'E\u0301', true],
  ['carrier_label', 'É', 'in', ['x', 'E\u0301'], true],
  ['carrier_label', 'École', 'contains', 'é', true],
  ['carrier_label', 'École', 'contains', 'ecole', true],
  ['carrier_label', 'Ecole', 'starts', 'E\u0301', true],
  ['carrier_label', 'École', 'eq', 'Ecole', false],
  ['carrier_label', 'École', 'in', ['Ecole', 'école'], false],
  ['carrier_label', 'İstanbul', 'starts', 'ist', true],
  ['carrier_label', '50 % off', 'contains', '%', true],
  ['carrier_label', 'a\\b', 'contains', '\\', true],
  ['carrier_label', '😀', 'between', ['\uFFFD', '😁'], true],
];
/** Only `ne`, `nin` and `null` find a null. */
const nulls: Case[] = [
  ['carrier_label', null, 'eq', 'null', false],
  ['carrier_label', null, 'ne', 'x', true],
  ['carrier_label', null, 'in', ['null', ''], false],
  ['carrier_label', null, 'in', [], false],
  ['carrier_label', null, 'nin', ['null'], true],
  ['carrier_label', null, 'nin', [], true],
  ['carrier_label', null, 'contains', 'null', false],
  ['carrier_label', null, 'lt', 'x', false],
  ['carrier_label', null, 'between', ['', 'x'], false],
  ['carrier_label', null, 'null', true, true],
  ['carrier_label', null, 'null', false, false],
];
const integer: Case[] = [
  ['sort_order', 0, 'eq', -0, true],
  ['sort_order', 10, 'ne', 10, false],
  ['sort_order', 10, 'in', [9, 10], true],
  ['sort_order', 10, 'nin', [9, 10], false],
  // As a text, 9 would come after 10.
  ['sort_order', 10, 'gt', 9, true],
  ['sort_order', -1, 'lt', 0, true],
  ['sort_order', -1, 'lt', -1, false],
  ['sort_order', -2_147_483_648, 'lt', 2_147_483_647, true],
  ['sort_order', 10, 'between', [9, 11], true],
  ['sort_order', 11, 'between', [9, 11], true],
  ['sort_order', 0, 'null', false, true],
  ['version', 3, 'gte', 3, true],
];
const boolean: Case[] = [
  ['is_active', true, 'eq', true, true],
  ['is_active', false, 'ne', true, true],
  ['is_active', false, 'nin', [false], false],
  ['is_active', false, 'null', true, false],
  ['use_default', true, 'eq', true, true],
];
const id: Case[] = [
  ['id', idOf(10), 'eq', idOf(10).toUpperCase(), true],
  ['id', idOf(10), 'gt', idOf(9).toUpperCase(), true],
];
const times: Case[] = [
  ['created_at', time, 'eq', time, true],
  ['created_at', time, 'eq', '2026-01-31T11:00:00.1230+01:30', true],
  ['created_at', time, 'ne', '2026-01-31T09:30:00.1234Z', true],
  ['created_at', time, 'lt', '2026-01-31T09:30:00.1230001Z', true],
  ['created_at', time, 'lte', '2026-01-31T09:30:00.122999999Z', false],
  ['created_at', time, 'gt', '2026-01-31T09:30:00.122999999Z', true],
  ['created_at', time, 'gte', '2026-01-31T09:30:00.123000001Z', false],
  ['created_at', '2026-01-31T09:30:00.000Z', 'lt', '2026-01-31T09:30:00.0001Z', true],
  ['created_at', time, 'between', ['2026-01-31T09:30:00.1229Z', '2026-01-31T09:30:00.1231Z'], true],
  ['created_at', time, 'null', false, true],
  ['updated_at', time, 'gt', '2026-01-31T23:59:59+23:59', true],
];
const cases = { code, label, nulls, integer, boolean, id, times };

describe('a condition of a list', () => {
  it.each(Object.values(cases).flat())('%s %j, %s %j: shown %j', (field, stored, op, value, isShown) => {
    const method = new EffectiveMethod(storedMethod({ [field]: stored }), false);

    expect(shows(method, { raw_filters: [{ field, op, value }] })).toBe(isShown);
  });

  it('is tested with each operator', () => {
    const tested = new Set(Object.values(cases).flatMap((each) => each.map(([, , op]) => op)));

    expect(operatorNames.filter((name) => !tested.has(name))).toEqual([]);
  });

  it('compares the inherited values, but the version of the method itself', () => {
    const own = storedMethod({ use_default: true, method_label: 'Own', sort_order: 1 });
    const origin = storedMethod({ is_active: false, method_label: 'Default', sort_order: 2, version: 7 });
    const method = new EffectiveMethod(own, true, origin);
    const shown = [{ method_label: 'Default' }, { sort_order: 2 }, { is_active: false }, { version: 1 }];
    const hidden = [{ method_label: 'Own' }, { sort_order: 1 }, { is_active: true }, { version: 7 }];

    expect(shown.map((filter) => shows(method, { filter }))).toEqual([true, true, true, true]);
    expect(hidden.map((filter) => shows(method, { filter }))).toEqual([false, false, false, false]);
  });

  it.each<[useDefault: StoredMethod['use_default'], isTrue: boolean]>([
    [true, true],
    [['meta'], true],
    [false, false],
  ])('on use_default counts %j as %j', (use_default, isTrue) => {
    const method = new EffectiveMethod(storedMethod({ use_default }), false);

    expect(shows(method, { filter: { use_default: isTrue } })).toBe(true);
    expect(shows(method, { filter: { use_default: !isTrue } })).toBe(false);
  });
});

describe('the conditions of a list', () => {
  const method = new EffectiveMethod(
    storedMethod({ carrier_label: 'United Parcel Straße', method_label: 'Ground' }),
    false,
  );
  const yes = { field: 'is_active', op: 'eq', value: true };
  const no = { field: 'is_active', op: 'eq', value: false };

  it.each<[query: object, isShown: boolean]>([
    [{}, true],
    [{ raw_filters: [yes, yes] }, true],
    [{ raw_filters: [yes, no] }, false],
    [{ raw_filters: [{ or: [no, yes] }] }, true],
    [{ raw_filters: [{ or: [no, no] }] }, false],
    [{ raw_filters: [{ or: [] }] }, false],
    [{ raw_filters: [{ or: [yes] }, { or: [no] }] }, false],
    [{ filter: { is_active: [false, true] } }, true],
    [{ filter: { is_active: true, carrier_code: 'dhl' } }, false],
    [{ filter: { is_active: true }, raw_filters: [no] }, false],
    [{ q: '' }, true],
    [{ q: 'GROUND united' }, true],
    [{ q: 'ground dhl' }, false],
    [{ q: 'strasse' }, true],
    [{ q: 'gröund únited' }, true],
    [{ q: '\u0301' }, true],
    [{ q: '03 ups' }, true],
    // A word must be part of one field.
    [{ q: 'ups03' }, false],
    [{ q: 'ground', raw_filters: [no] }, false],
  ])('%j: shown %j', (query, isShown) => {
    expect(shows(method, query)).toBe(isShown);
  });
});

it('the texts of a method are folded once for all conditions and all lists', () => {
  const method = new EffectiveMethod(storedMethod({ method_label: 'Straße' }), false);
  const conditions = Array.from({ length: 20 }, () => ({
    field: 'method_label',
    op: 'contains',
    value: 'x',
  }));
  shows(method, { q: 'x' });
  const normalize = vi.spyOn(String.prototype, 'normalize');

  for (const query of [{ q: 'x' }, { raw_filters: [{ or: conditions }] }]) shows(method, query);
  const normalized = normalize.mock.contexts.map(String);
  normalize.mockRestore();

  expect(normalized).not.toContain('Straße');
});
