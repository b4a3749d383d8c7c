import { describe, expect, it } from 'vitest';
import { Violations } from '../validation/violations.js';
import { checkUpsert, UpsertShippingMethodRequest } from './dto/upsert-shipping-method.dto.js';

const ground = { carrier_code: 'ups', method_code: '03', method_label: 'UPS Ground' };

/** @returns the request, or undefined when it is refused */
const check = (input: unknown): object | undefined => {
  const violations = new Violations();
  const request = checkUpsert(violations, input);
  return violations.any ? undefined : request;
};

describe('a request to create or update', () => {
  it('is the same when it is checked again', () => {
    const request = check({ ...ground, carrier_label: ' e\u0301 ', sort_order: null, meta: { a: 1 } });

    expect(request).toMatchObject({ ...ground, carrier_label: '\u00E9', sort_order: null, meta: { a: 1 } });
    expect(check(request)).toEqual(request);
  });

  it('that is an instance of its class is checked again while it has violations', () => {
    const made = Object.assign(new UpsertShippingMethodRequest(), ground, { is_active: 'yes' });

    expect(check(made)).toBeUndefined();
    expect(check(made)).toBeUndefined();
    expect(check(Object.assign(made, { is_active: true }))).toMatchObject({ ...ground, is_active: true });
  });

  it('that a caller has frozen is checked, and its labels are normalised', () => {
    const frozen = (fields: object): object =>
      Object.freeze(Object.assign(new UpsertShippingMethodRequest(), ground, fields));

    expect(check(frozen({ carrier_code: ' ups' }))).toBeUndefined();
    expect(check(frozen({ method_label: ' x ' }))).toMatchObject({ method_label: 'x' });
  });

  it('that was refused is refused again', () => {
    const violations = new Violations();
    const refused = checkUpsert(violations, { ...ground, sort_order: '1' });

    expect(violations.any).toBe(true);
    expect(check(refused)).toBeUndefined();
  });

  it.each([{ meta: null }, { meta: undefined }, {}])('may leave meta out: %j', (meta) => {
    expect(check({ ...ground, ...meta })).toMatchObject(ground);
  });

  it.each([{ meta: '' }, { meta: 0 }, { meta: false }, { meta: [] }])('is refused with %j', (meta) => {
    expect(check({ ...ground, ...meta })).toBeUndefined();
  });
});
