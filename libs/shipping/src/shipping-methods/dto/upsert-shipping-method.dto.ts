import { plainToInstance, Transform } from 'class-transformer';
import { Allow, validateSync } from 'class-validator';
import { Faults, pointerTo } from '../../validation/faults.js';
import { checkJsonObject, isPlainObject } from '../../validation/json-object.js';
import { addFaults, Code, Flag, Int32, Label, Required } from '../../validation/rules.js';
import { normalisedLabel } from '../../validation/text.js';
import { fieldOf, isRequired, methodFields, type SettableField, settableFields } from '../method-fields.js';

/** The label as it is kept; a form's blanks around it are no part of it. */
function Normalised(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? normalisedLabel(value) : value,
  );
}

/**
 * The body of create and update, field by field as the interface names them. An optional field that is null
 * goes back to its default; on update one that is left out keeps its value.
 */
export class UpsertShippingMethodRequest {
  carrier_code!: string;

  carrier_label?: string | null;

  method_code!: string;

  method_label!: string;

  is_active?: boolean | null;

  /** Lower first. */
  sort_order?: number | null;

  /** The host's own data, replaced whole: at most 16 KiB of JSON, 8 levels deep. */
  meta?: object | null;

  /** Shows labels, order and meta of the method with the same codes in the defaults project. */
  use_default?: boolean | null;
}

const rules: Record<
  (typeof methodFields)[SettableField]['kind'],
  (maxLength: number) => PropertyDecorator[]
> = {
  code: (maxLength) => [Code(maxLength)],
  label: (maxLength) => [Normalised(), Label(maxLength)],
  boolean: () => [Flag()],
  integer: () => [Int32()],
  // Checked apart from the rest. A host's ValidationPipe with `whitelist` would drop what has no decorator.
  json: () => [Allow()],
};

for (const name of settableFields) {
  const { maxLength = 0 } = fieldOf(name);
  const required = isRequired(name) ? [Required()] : [];
  for (const decorate of [...required, ...rules[methodFields[name].kind](maxLength)])
    decorate(UpsertShippingMethodRequest.prototype, name);
}

const knownFields: ReadonlySet<string> = new Set(settableFields);
const checked = new WeakSet<object>();

/**
 * Checks a request of unknown origin: JSON of a client, or an object of a sibling module. Nothing is coerced;
 * what it returns is frozen, so that it is not looked at twice on its way to the database.
 * @returns the checked request, its labels normalised; incomplete when `faults` says so
 */
export function checkUpsert(faults: Faults, input: unknown): Readonly<UpsertShippingMethodRequest> {
  if (input instanceof UpsertShippingMethodRequest && checked.has(input)) return input;
  const scalars: Record<string, unknown> = {};
  if (!isPlainObject(input) && !(input instanceof UpsertShippingMethodRequest)) {
    faults.add({ pointer: '' }, 'type', 'The body must be a JSON object.');
    return new UpsertShippingMethodRequest();
  }
  for (const [field, value] of Object.entries(input)) {
    if (!knownFields.has(field)) {
      faults.inBody(pointerTo('', field), 'unknown', 'is no field of a shipping method.', settableFields);
    } else if (field !== 'meta' && value !== undefined) {
      // An object would be walked by class-transformer; it is refused for its type in any case.
      scalars[field] = typeof value === 'object' && value !== null ? [] : value;
    }
  }
  const request = plainToInstance(UpsertShippingMethodRequest, scalars);
  addFaults(faults, validateSync(request));
  // −0 is a JSON number too, and is stored as 0.
  if (request.sort_order === 0) request.sort_order = 0;
  if (input.meta !== undefined) {
    request.meta = input.meta === null ? null : checkJsonObject(faults, '/meta', input.meta);
  }
  if (!faults.any) checked.add(Object.freeze(request));
  return request;
}
