import { plainToInstance, Transform } from 'class-transformer';
import { Allow, validateSync } from 'class-validator';
import { Faults, pointerTo } from '../../validation/faults.js';
import { checkJsonObject, isPlainObject } from '../../validation/json-object.js';
import { addFaults, Code, Flag, Int32, Label, Required } from '../../validation/rules.js';
import { normalisedLabel } from '../../validation/text.js';

/** Code points. */
export const maxLengths = { carrierCode: 64, methodCode: 128, label: 255 } as const;

/** What an optional field has when it is left out of a create, or sent as null. */
export const methodDefaults = {
  carrier_label: null,
  is_active: true,
  sort_order: 0,
  meta: {},
  use_default: false,
} as const;

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
  @Required()
  @Code(maxLengths.carrierCode)
  carrier_code!: string;

  @Normalised()
  @Label(maxLengths.label)
  carrier_label?: string | null;

  @Required()
  @Code(maxLengths.methodCode)
  method_code!: string;

  @Required()
  @Normalised()
  @Label(maxLengths.label)
  method_label!: string;

  @Flag()
  is_active?: boolean | null;

  /** Lower first. */
  @Int32()
  sort_order?: number | null;

  /** The host's own data, replaced whole: at most 16 KiB of JSON, 8 levels deep. */
  // Checked apart from the rest. A host's ValidationPipe with `whitelist` would drop what has no decorator.
  @Allow()
  meta?: object | null;

  /** Presents labels, order and meta of the method with the same codes in the defaults project. */
  @Flag()
  use_default?: boolean | null;
}

export const upsertFields = [
  'carrier_code',
  'carrier_label',
  'method_code',
  'method_label',
  'is_active',
  'sort_order',
  'meta',
  'use_default',
] as const satisfies (keyof UpsertShippingMethodRequest)[];

const knownFields: ReadonlySet<string> = new Set(upsertFields);
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
      faults.inBody(pointerTo('', field), 'unknown', 'is no field of a shipping method.', upsertFields);
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
