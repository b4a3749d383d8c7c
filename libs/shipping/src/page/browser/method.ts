import { type ShippingMethodDto } from '../../shipping-methods/dto/shipping-method.dto.js';
import { type UpsertShippingMethodRequest } from '../../shipping-methods/dto/upsert-shipping-method.dto.js';
import { type StoredValues } from '../../shipping-methods/stored-values.js';
import {
  type InheritableField,
  inheritableFields,
  inheritedFieldsOf,
} from '../../shipping-methods/use-default.js';
import { t } from './settings.js';

const sent = Object.keys({
  carrier_code: true,
  carrier_label: true,
  method_code: true,
  method_label: true,
  is_active: true,
  sort_order: true,
  meta: true,
  use_default: true,
} satisfies Record<keyof StoredValues, true>) as (keyof StoredValues)[];

/** The values that are stored for this method. It may show other ones, which it inherits. */
export const storedIn = (method: ShippingMethodDto): ShippingMethodDto => ({ ...method, ...method.own });

/** Returns the request that stores a method as it is, and inherits what it inherits. */
export function requestOf(method: ShippingMethodDto): UpsertShippingMethodRequest {
  const stored = storedIn(method);
  return Object.fromEntries(sent.map((name) => [name, stored[name]])) as StoredValues;
}

export const onOrOff = (isActive: boolean): string | undefined => t(isActive ? 'on' : 'off');

/**
 * Returns the fields that a method has of its own although there is a default.
 * @param defaultMethod the default of the method, if there is one and this user may read it
 */
function ownFieldsOf(
  method: ShippingMethodDto,
  defaultMethod: ShippingMethodDto | undefined,
): InheritableField[] {
  if (!defaultMethod && method.inherited.length === 0) return [];
  const inherited = inheritedFieldsOf(method.use_default);
  /** A method that was switched off here stays off, whatever the default does. */
  const isOffHere = method.own.is_active === false;
  const isOwn = (name: InheritableField): boolean =>
    inherited.includes(name) ? name === 'is_active' && isOffHere : (defaultMethod ?? method)[name] !== null;
  return inheritableFields.filter(isOwn);
}

/** Names a field that is own. If the default has another name, or the other position of the switch, the text says it. */
function ownText(name: InheritableField, method: ShippingMethodDto, defaultMethod?: ShippingMethodDto) {
  const shownBy = (each: ShippingMethodDto): unknown =>
    name === 'is_active' ? onOrOff(each.is_active) : each[name];
  const field = name === 'is_active' ? onOrOff(method.is_active) : t(name);
  const value = defaultMethod && shownBy(defaultMethod);
  const isOther = typeof value === 'string' && value !== shownBy(method);
  return isOther ? t('own_field', { field, value }) : field;
}

/**
 * Returns what the list marks: own fields, and a default that is switched off or gone. Values that come from a default
 * are the normal case, and have no mark.
 */
export function marksOf(method: ShippingMethodDto, defaultMethod: ShippingMethodDto | undefined) {
  const { inherited, own: stored, is_active, etag } = method;
  const own = ownFieldsOf(method, defaultMethod);
  const fields = own.map((name) => ownText(name, method, defaultMethod)).join(', ');
  const isDefaultOff = inherited.includes('is_active') && stored.is_active && !is_active;
  return {
    own,
    text:
      own.length > 0 &&
      (inheritedFieldsOf(method.use_default).length > 0 ? t('own', { fields }) : t('all_own')),
    problem: etag.endsWith('-none"') ? 'default_gone' : isDefaultOff && 'default_off',
  };
}
