import { describe, expect, it } from 'vitest';
import { maxCheckedLength } from '../../validation/text.js';
import { InvalidParameterError, ValidationFailedError, type Violation } from '../../validation/violations.js';
import { eventLengths } from './order-event.dto.js';
import { checkOrderEvent } from './record-order-event.check.js';

const placed = { projectId: 'shop', orderId: '1001', type: 'order.placed' };

function violationsOf(input: unknown): readonly Violation[] {
  try {
    checkOrderEvent(input);
  } catch (error) {
    if (error instanceof ValidationFailedError || error instanceof InvalidParameterError) return error.errors;
    throw error;
  }
  return [];
}

describe('an event to record', () => {
  const long = '\0'.repeat(5_000_000);

  it.each<[pointer: string, fields: object]>([
    ['/type', { type: long }],
    ['/message', { message: long }],
    ['/dedupeKey', { dedupeKey: long }],
    ['/actor/id', { actor: { type: 'user', id: long } }],
    ['/actor/label', { actor: { type: 'user', label: long } }],
  ])('with a text of five million characters is refused for its length alone: %s', (pointer, fields) => {
    expect(violationsOf({ ...placed, ...fields })).toEqual([
      expect.objectContaining({ pointer, code: 'length' }),
    ]);
  });

  it.each<[part: object, pointer: string, code: string]>([
    [{ type: 'placed' }, '/type', 'format'],
    [{ type: undefined }, '/type', 'required'],
    [{ type: `a.${'b'.repeat(63)}` }, '/type', 'length'],
    [{ message: 'x'.repeat(1001) }, '/message', 'length'],
    [{ actor: { type: 'user', label: 'l'.repeat(256) } }, '/actor/label', 'length'],
    [{ message: 'a\0b' }, '/message', 'format'],
    [{ data: { n: 2 ** 53 } }, '/data/n', 'range'],
    [{ actor: 'Ada' }, '/actor', 'type'],
    [{ actor: {} }, '/actor/type', 'required'],
    [{ actor: { type: 'robot' } }, '/actor/type', 'not_allowed'],
    [{ actor: { type: 'user', name: 'Ada' } }, '/actor/name', 'unknown'],
    [{ actor: { type: 'user', id: 7 } }, '/actor/id', 'type'],
    [{ actor: { type: 'user', id: 'i'.repeat(65) } }, '/actor/id', 'length'],
    [{ dedupeKey: 'a\0b' }, '/dedupeKey', 'format'],
    [{ occurredAt: '2026-02-30T00:00:00Z' }, '/occurredAt', 'format'],
    [{ occurredAt: new Date(NaN) }, '/occurredAt', 'format'],
    [{ occurredAt: 1_700_000_000_000 }, '/occurredAt', 'type'],
    [{ dedupeKey: '' }, '/dedupeKey', 'length'],
    [{ dedupeKey: 'x'.repeat(129) }, '/dedupeKey', 'length'],
    [{ typ: 'order.placed' }, '/typ', 'unknown'],
  ])('with %j is refused at %s: %s', (part, pointer, code) => {
    expect(violationsOf({ ...placed, ...part })).toMatchObject([{ pointer, code }]);
  });

  it('with an unknown type of actor is refused with the known types', () => {
    const [violation] = violationsOf({ ...placed, actor: { type: 'robot' } });

    expect(violation).toMatchObject({ allowed: ['user', 'customer', 'app', 'system'] });
  });

  it.each(Object.entries(eventLengths))(
    'has a bound for its %s below the bound for checked texts',
    (_, max) => {
      expect(2 * max).toBeLessThanOrEqual(maxCheckedLength);
    },
  );

  it('is refused with the faults of its ids and of its fields together', () => {
    const event = { projectId: 'a b', orderId: 17, type: 'placed', data: [] };

    expect(violationsOf(event)).toMatchObject([
      { parameter: 'projectId', code: 'format' },
      { parameter: 'orderId', code: 'type' },
      { pointer: '/type', code: 'format' },
      { pointer: '/data', code: 'type' },
    ]);
  });

  it.each([null, undefined, 'order.placed', []])('is refused when it is not an object: %j', (input) => {
    expect(violationsOf(input)).toContainEqual(expect.objectContaining({ pointer: '', code: 'type' }));
  });
});
