import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { type UpsertShippingMethodRequest } from './dto/upsert-shipping-method.dto.js';
import { expectedMethods } from './change-result.js';
import { type Decide, decideUpdate, decideUpsert } from './method-changes.js';
import { settableFields } from './method-fields.js';
import { type InheritableField, inheritableFields } from './use-default.js';
import { type MethodSet, MethodView } from './method-view.js';
import { idOf, methodSet } from './stored-method.sample.js';

// Random requests of the head office and of a tenant, compared with a model of `use_default` that knows one field.

/** A field of the tenant's method. */
interface Field {
  name: InheritableField;
  own: unknown;
  isInherited: boolean;
}

/** A method of the defaults project; undefined if there is none. */
type Default = ShippingMethodDto | undefined;

/** The values that null stands for in a request. */
const reset = { carrier_label: null, method_label: '', sort_order: 0, meta: {}, is_active: true };

function shownOf({ name, own, isInherited }: Field, origin: Default): unknown {
  if (!isInherited || !origin || origin[name] === null) return own;
  return name === 'is_active' ? own && origin.is_active : origin[name];
}

/** @param before and `after`: the default of the codes before and after the request */
function changed(field: Field, request: UpsertShippingMethodRequest, before: Default, after: Default): Field {
  const { use_default: asked, [field.name]: requested } = request;
  const isNamed = Array.isArray(asked) ? asked.includes(field.name) : asked === true;
  const isInherited = asked === undefined ? field.isInherited : isNamed;
  if (requested === undefined)
    return { ...field, isInherited, own: isInherited ? field.own : shownOf(field, before) };
  const sent = requested ?? reset[field.name];
  const stored = { ...field, isInherited, own: sent };
  // From the smallest change to the largest one.
  const changes = field.isInherited && isInherited ? [field, stored] : [stored];
  const showing = changes.find((each) => isDeepStrictEqual(shownOf(each, after), sent));
  return showing ?? { ...stored, isInherited: asked !== undefined && isInherited };
}

const anyRequest = fc.record(
  {
    carrier_code: fc.constant('ups'),
    method_code: fc.constantFrom('a', 'a', 'b', 'c'),
    carrier_label: fc.constantFrom(null, 'x', 'y'),
    method_label: fc.constantFrom('x', 'y'),
    sort_order: fc.constantFrom(null, 0, 1),
    meta: fc.constantFrom(null, {}, { a: 1, b: 2 }, { b: 2, a: 1 }),
    is_active: fc.constantFrom(null, true, false),
    use_default: fc.oneof(fc.constantFrom(null, true, false), fc.subarray([...inheritableFields])),
  },
  { requiredKeys: ['carrier_code', 'method_code'] },
) as fc.Arbitrary<UpsertShippingMethodRequest>;
const by = fc.constantFrom('tenant', 'tenant', 'head office', 'removal');

it('random requests show what they sent, and are safe to repeat and to send back', () => {
  const run = (steps: { by: string; request: UpsertShippingMethodRequest }[]): void => {
    let defaults = methodSet([], 'default');
    let shop = methodSet([{ method_code: 'a', use_default: true }]);
    const viewOf = (set: MethodSet) => new MethodView(set, defaults);
    const rowsOf = (set: MethodSet, decide: Decide) => decide(viewOf(set), viewOf(defaults));
    const after = (set: MethodSet, decide: Decide) => ({
      ...set,
      methods: expectedMethods(set, rowsOf(set, decide)),
    });
    const tenant = (): ShippingMethodDto => Object(viewOf(shop).methods[0]?.toDto());
    const fieldsOf = ({ use_default: fields, own, ...values }: ShippingMethodDto): Field[] =>
      inheritableFields.map((name) => ({
        name,
        own: { ...values, ...own }[name],
        isInherited: typeof fields === 'boolean' ? fields : fields.includes(name),
      }));
    const defaultOf = (code: string) => viewOf(defaults).byCodes('ups', code)?.toDto();

    for (const step of steps) {
      const { request } = step;
      const before = tenant();
      const origin = defaultOf(before.method_code);
      if (step.by === 'tenant') shop = after(shop, decideUpdate(idOf(1), request, {}));
      if (step.by === 'head office')
        defaults = after(
          defaults,
          decideUpsert([{ ...request, method_label: request.method_label ?? 'x' }], { maxMethods: 9 }),
        );
      if (step.by === 'removal')
        defaults = {
          ...defaults,
          methods: defaults.methods.filter((each) => each.method_code !== request.method_code),
        };
      const method = tenant();
      const newOrigin = defaultOf(method.method_code);

      const isTenant = step.by === 'tenant';
      const expected = fieldsOf(before).map((each) =>
        isTenant ? changed(each, request, origin, newOrigin) : each,
      );
      expect(fieldsOf(method)).toEqual(expected);
      const isSent = (name: InheritableField): boolean => isTenant && request[name] !== undefined;
      const sent = request.use_default === undefined ? inheritableFields.filter(isSent) : [];
      expect(sent.map((name) => method[name])).toEqual(sent.map((name) => request[name] ?? reset[name]));
      // Only the tenant turns its own "off" on. A method that inherits from a default that is off stays off.
      const wasOff = !(before.own.is_active ?? before.is_active) && !isSent('is_active');
      const isWithdrawn = method.inherited.includes('is_active') && !newOrigin?.is_active;
      expect(method.is_active && (wasOff || isWithdrawn)).toBe(false);
      const form: object = Object.fromEntries(settableFields.map((name) => [name, method[name]]));
      for (const harmless of [...(isTenant ? [request] : []), form, { ...form, use_default: undefined }])
        expect(rowsOf(shop, decideUpdate(idOf(1), harmless as UpsertShippingMethodRequest, {}))).toEqual([]);
    }
  };

  const steps = fc.array(fc.record({ by, request: anyRequest }), { maxLength: 15 });
  fc.assert(fc.property(steps, run), { seed: 64, numRuns: 500 });
});
