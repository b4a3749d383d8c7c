import { describe, expect, it } from 'vitest';
import { ValidationFailedError, type Violation, Violations } from '../../validation/violations.js';
import { checkOrderEvent } from './new-order-event.check.js';

const placed = { type: 'order.placed' };

function violationsOf(input: unknown): readonly Violation[] {
  const violations = new Violations();
  checkOrderEvent(violations, input);
  try {
    violations.throwIfAny();
  } catch (error) {
    if (error instanceof ValidationFailedError) return error.violations;
    throw error;
  }
  return [];
}

describe('an event to record', () => {
  const long = '\0'.repeat(5_000_000);

  it.each<[pointer: string, fields: object]>([
    ['/type', { type: long }],
    ['/message', { message: long }],
    ['/dedupe_key', { dedupe_key: long }],
    ['/actor/id', { actor: { type: 'user', id: long } }],
    ['/actor/label', { actor: { type: 'user', label: long } }],
  ])('with a text of five million characters is refused for its length alone: %s', (pointer, fields) => {
    expect(violationsOf({ ...placed, ...fields })).toEqual([
      expect.objectContaining({ pointer, code: 'length' }),
    ]);
  });

  it.each<[part: object, pointer: string, code: string]>([
    [{ type: 'placed' }, '/type', 'format'],
    [{ type: '' }, '/type', 'format'],
    [{ type: '3ds.required' }, '/type', 'format'],
    [{ type: 'payment.-x' }, '/type', 'format'],
    [{ type: 'payment._x' }, '/type', 'format'],
    [{ type: 'order.Placed' }, '/type', 'format'],
    [{ type: 'order.placed\n' }, '/type', 'format'],
    [{ type: undefined }, '/type', 'required'],
    [{ type: `a.${'b'.repeat(63)}` }, '/type', 'length'],
    [{ message: 'x'.repeat(4001) }, '/message', 'length'],
    [{ actor: { type: 'user', label: 'l'.repeat(256) } }, '/actor/label', 'length'],
    [{ message: 'a\0b' }, '/message', 'format'],
    [{ data: { n: 2 ** 53 } }, '/data/n', 'range'],
    [{ actor: 'Ada' }, '/actor', 'type'],
    [{ actor: {} }, '/actor/type', 'required'],
    [{ actor: { type: 'robot' } }, '/actor/type', 'not_allowed'],
    [{ actor: { type: 'user', name: 'Ada' } }, '/actor/name', 'unknown'],
    [{ actor: { type: 'user', id: 7 } }, '/actor/id', 'type'],
    [{ actor: { type: 'user', id: 'i'.repeat(65) } }, '/actor/id', 'length'],
    [{ dedupe_key: 'a\0b' }, '/dedupe_key', 'format'],
    [{ occurred_at: '2026-02-30T00:00:00Z' }, '/occurred_at', 'format'],
    [{ occurred_at: new Date(NaN) }, '/occurred_at', 'format'],
    [{ occurred_at: 1_700_000_000_000 }, '/occurred_at', 'type'],
    [{ dedupe_key: '' }, '/dedupe_key', 'length'],
    [{ dedupe_key: 'x'.repeat(129) }, '/dedupe_key', 'length'],
    [{ typ: 'order.placed' }, '/typ', 'unknown'],
    [{ project_id: 'other' }, '/project_id', 'unknown'],
  ])('with %j is refused at %s: %s', (part, pointer, code) => {
    expect(violationsOf({ ...placed, ...part })).toMatchObject([{ pointer, code }]);
  });

  it('with an unknown type of actor is refused with the known types', () => {
    const [violation] = violationsOf({ ...placed, actor: { type: 'robot' } });

    expect(violation).toMatchObject({ allowed: ['user', 'customer', 'app', 'system'] });
  });

  it.each([
    { type: 'order.fulfillment-created' },
    { type: 'order-edit.confirmed' },
    { type: 'payment.3ds_required' },
    { type: 'a.0' },
    { type: `a.${'b'.repeat(62)}` },
    { message: '🚚'.repeat(4000) },
    { message: 'Dear Ada,\r\n\r\n\tthank you.\n' },
  ])('with %j is accepted', (part) => {
    expect(violationsOf({ ...placed, ...part })).toEqual([]);
  });

  it.each([null, undefined, 'order.placed', []])('is refused when it is not an object: %j', (input) => {
    expect(violationsOf(input)).toContainEqual(expect.objectContaining({ pointer: '', code: 'type' }));
  });
});
