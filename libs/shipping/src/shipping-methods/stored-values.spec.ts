import { describe, expect, it } from 'vitest';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { type UpsertShippingMethodRequest } from './dto/upsert-shipping-method.dto.js';
import { patched, valuesToStore } from './stored-values.js';

const codes = { carrier_code: 'ups', method_code: '03' };
const stored = valuesToStore({
  ...codes,
  method_label: 'Own',
  meta: { days: { max: 5 } },
  use_default: true,
});
const shown = { method_label: 'Default', meta: { days: { max: 3 } } };
const byDefault = { ...shown, carrier_label: 'UPS', sort_order: 7 };

function effective(inherited: ShippingMethodDto['inherited']): ShippingMethodDto {
  const made = { id: '1', project_id: 'p', version: 1, etag: '"1"', created_at: '', updated_at: '' };
  const of = (values: ShippingMethodDto['own']) =>
    Object.fromEntries(inherited.map((name) => [name, values[name]]));
  return { ...made, ...stored, ...of(byDefault), inherited, own: of(stored) };
}

describe('an update of a method', () => {
  it.each<[string, Partial<UpsertShippingMethodRequest>, ShippingMethodDto['inherited'], object]>([
    ['that sends back what it loaded keeps the stored values', shown, ['method_label', 'meta'], stored],
    [
      'that sends it back with use_default keeps them too',
      { ...shown, use_default: true },
      ['method_label', 'meta'],
      stored,
    ],
    [
      'that turns use_default off stores what it sends',
      { ...shown, use_default: false },
      ['method_label', 'meta'],
      { ...shown, use_default: false },
    ],
    [
      'that sets use_default to null stores what it sends',
      { ...shown, use_default: null },
      ['method_label', 'meta'],
      { ...shown, use_default: false },
    ],
    [
      'that sends another value stores it',
      { ...shown, method_label: 'Other' },
      ['method_label', 'meta'],
      { method_label: 'Other', meta: stored.meta },
    ],
    ['that sends a value that is not inherited stores it', shown, ['carrier_label', 'sort_order'], shown],
    [
      'of a method that inherits only one field keeps the stored value of that field',
      shown,
      ['meta'],
      { method_label: 'Default', meta: stored.meta },
    ],
    ['that sends null goes back to the default of the field', { meta: null }, ['sort_order'], { meta: {} }],
  ])('%s', (_title, sent, inherited, expected) => {
    const request = { ...codes, method_label: 'Default', ...sent };
    expect(patched(effective(inherited), stored, request)).toMatchObject(expected);
  });

  it('that turns use_default on stores what it sends', () => {
    const current = { ...effective([]), use_default: false };
    const request = { ...codes, ...shown, use_default: true };
    expect(patched(current, stored, request)).toMatchObject({
      ...shown,
      use_default: true,
    });
  });

  it('keeps each value that it leaves out', () => {
    const request = { ...codes, method_label: 'Own' };
    expect(patched(effective([]), stored, request)).toEqual(stored);
  });
});
