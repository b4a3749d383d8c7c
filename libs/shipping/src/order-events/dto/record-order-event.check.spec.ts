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

  it.each(Object.entries(eventLengths))(
    'has a bound for its %s below which each text is checked',
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

  it.each([null, undefined, 'order.placed', []])('that is %j is refused as no object', (input) => {
    expect(violationsOf(input)).toContainEqual(expect.objectContaining({ pointer: '', code: 'type' }));
  });
});
