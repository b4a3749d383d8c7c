import { describe, expect, it } from 'vitest';
import { type ShippingMethodPatch } from './dto/upsert-shipping-method.dto.js';
import { inheritedValue, valuesAfterUpdate, type StoredValues } from './stored-values.js';
import { type InheritableField, inheritableFields } from './use-default.js';

const codes = { carrier_code: 'ups', method_code: '03' };
const own: StoredValues = {
  ...codes,
  carrier_label: 'Own carrier',
  method_label: 'Own',
  sort_order: 1,
  meta: { own: { days: 1 } },
  is_active: true,
  use_default: false,
};
const values = {
  own,
  default: { ...own, carrier_label: 'UPS', method_label: 'Default', sort_order: 2, meta: { days: 2 } },
  sent: { ...own, carrier_label: 'Sent carrier', method_label: 'Sent', sort_order: 3, meta: { sent: 3 } },
};
type Source = keyof typeof values;

/** Updates a method that has the values `own`, and returns what it stores and what it then shows. */
function updated(
  before: Partial<StoredValues>,
  ofDefault: StoredValues | undefined,
  request: ShippingMethodPatch,
) {
  const shownOf = (stored: StoredValues): StoredValues => {
    const shown: Record<string, unknown> = { ...stored };
    const { use_default: fields } = stored;
    for (const name of inheritableFields)
      if (ofDefault && (Array.isArray(fields) ? fields.includes(name) : fields))
        shown[name] = inheritedValue<unknown>(name, stored[name], ofDefault[name]);
    return shown as StoredValues;
  };
  const stored = { ...own, ...before };
  const after = valuesAfterUpdate(stored, shownOf(stored), request, ofDefault);
  return { ...after, shown: shownOf(after) };
}

/** The default, the request, and the value that the method then stores. `…` means that the field stops inheriting. */
type Row = [
  ofDefault: 'no default' | 'null' | Source,
  sent: Source | 'nothing',
  /** Without `use_default` in the request. */
  unmentioned: Source | `${Source} …`,
  /** With a `use_default` that names the field. */
  named: Source,
  /** With a `use_default` that does not name the field. */
  notNamed: Source,
];
const rows: Row[] = [
  ['no default', 'sent', 'sent', 'sent', 'sent'],
  ['no default', 'own', 'own', 'own', 'own'],
  ['no default', 'nothing', 'own', 'own', 'own'],
  ['null', 'sent', 'sent', 'sent', 'sent'],
  ['null', 'own', 'own', 'own', 'own'],
  ['null', 'nothing', 'own', 'own', 'own'],
  ['own', 'sent', 'sent …', 'sent', 'sent'],
  ['own', 'own', 'own', 'own', 'own'],
  ['own', 'nothing', 'own', 'own', 'own'],
  ['default', 'sent', 'sent …', 'sent', 'sent'],
  ['default', 'own', 'own …', 'own', 'own'],
  ['default', 'default', 'own', 'own', 'default'],
  ['default', 'nothing', 'own', 'own', 'default'],
];
const table = inheritableFields
  .filter((name) => name !== 'is_active')
  .flatMap((name) =>
    rows.filter(([from]) => from !== 'null' || name === 'carrier_label').map((row) => ({ name, row })),
  );

describe.each(table)('an update of the inherited $name ($row)', ({ name, row }) => {
  const [from, send, unmentioned, named, notNamed] = row;
  const others: InheritableField[] = ['is_active'];
  const ofDefault = { 'no default': undefined, null: { ...own, [name]: null }, ...values }[from];
  const sent = send === 'nothing' ? {} : { [name]: values[send][name] };
  const update = (request: object, use_default: StoredValues['use_default'] = [name]) =>
    updated({ use_default }, ofDefault, { ...sent, ...request });

  it('without use_default shows the sent value', () => {
    const [source, stops] = unmentioned.split(' ') as [Source, string?];

    const after = update({});

    expect(after).toMatchObject({ [name]: values[source][name], use_default: stops ? false : [name] });
    expect(after.shown).toMatchObject(sent);
  });

  it('with use_default stores the sent value, unless the method shows it anyway', () => {
    expect(update({ use_default: [name] })).toMatchObject({
      [name]: values[named][name],
      use_default: [name],
    });
    expect(update({ use_default: true })).toMatchObject({ [name]: values[named][name], use_default: true });
  });

  it('that stops inheriting stores the sent value, or the value that was shown', () => {
    const stored = { [name]: values[notNamed][name] };

    expect(update({ use_default: false })).toMatchObject({ ...stored, use_default: false });
    expect(update({ use_default: null }, true)).toMatchObject({ ...stored, use_default: false });
    expect(update({ use_default: others })).toMatchObject({ ...stored, use_default: others });
  });

  it('that begins to inherit stores the sent value, or keeps the stored one', () => {
    const stored = send === 'nothing' ? own : values[send];

    expect(update({ use_default: [name] }, false)).toMatchObject({
      [name]: stored[name],
      use_default: [name],
    });
  });
});

/** `off …` and `on …` mean: it stops inheriting. */
describe('an update of the inherited is_active', () => {
  it.each<
    [
      ofDefault: 'on' | 'off' | 'none',
      own: string,
      sent: string,
      unmentioned: string,
      named: string,
      off: string,
    ]
  >([
    ['none', 'on', 'on', 'on', 'on', 'on'],
    ['none', 'on', 'off', 'off', 'off', 'off'],
    ['none', 'on', '', 'on', 'on', 'on'],
    ['none', 'off', 'on', 'on', 'on', 'on'],
    ['none', 'off', 'off', 'off', 'off', 'off'],
    ['none', 'off', '', 'off', 'off', 'off'],
    ['on', 'on', 'on', 'on', 'on', 'on'],
    ['on', 'on', 'off', 'off', 'off', 'off'],
    ['on', 'on', '', 'on', 'on', 'on'],
    ['on', 'off', 'on', 'on', 'on', 'on'],
    ['on', 'off', 'off', 'off', 'off', 'off'],
    ['on', 'off', '', 'off', 'off', 'off'],
    ['off', 'on', 'on', 'on …', 'on', 'on'],
    ['off', 'on', 'off', 'on', 'on', 'off'],
    ['off', 'on', '', 'on', 'on', 'off'],
    ['off', 'off', 'on', 'on …', 'on', 'on'],
    ['off', 'off', 'off', 'off', 'off', 'off'],
    ['off', 'off', '', 'off', 'off', 'off'],
  ])(
    'with the default %s, the own value %s and the sent value %s',
    (from, before, sent, unmentioned, named, off) => {
      const ofDefault = from === 'none' ? undefined : { ...own, is_active: from === 'on' };
      const update = (request: object) =>
        updated({ is_active: before === 'on', use_default: ['is_active'] }, ofDefault, {
          ...(sent && { is_active: sent === 'on' }),
          ...request,
        });
      const [stored, stops] = unmentioned.split(' ');

      expect(update({})).toMatchObject({
        is_active: stored === 'on',
        use_default: stops ? false : ['is_active'],
      });
      expect(update({}).shown.is_active).toBe(sent ? sent === 'on' : before === 'on' && from !== 'off');
      expect(update({ use_default: true })).toMatchObject({ is_active: named === 'on', use_default: true });
      expect(update({ use_default: false })).toMatchObject({ is_active: off === 'on', use_default: false });
    },
  );
});

describe('an update', () => {
  it('treats a sent null as the default of the field', () => {
    const reset = { carrier_label: null, sort_order: null, meta: null, is_active: null };
    const stored = { carrier_label: null, sort_order: 0, meta: {}, is_active: true };

    expect(updated({}, undefined, reset)).toMatchObject(stored);
    expect(updated({ use_default: true }, values.default, reset)).toMatchObject({
      ...stored,
      use_default: ['method_label', 'is_active'],
    });
  });

  it('keeps each value that it leaves out', () => {
    const { shown: _, ...after } = updated({ use_default: true }, values.default, codes);

    expect(after).toEqual({ ...own, use_default: true });
  });

  it('that sends meta back with its keys in another order stores nothing', () => {
    const ofDefault = { ...own, meta: { a: 1, b: 2 } };

    expect(updated({ use_default: true }, ofDefault, { meta: { b: 2, a: 1 } })).toMatchObject({
      meta: own.meta,
      use_default: true,
    });
  });
});
