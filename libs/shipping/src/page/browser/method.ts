import { type ShippingMethodDto } from '../../shipping-methods/dto/shipping-method.dto.js';
import { type UpsertShippingMethodRequest } from '../../shipping-methods/dto/upsert-shipping-method.dto.js';
import { type InheritableField, type inheritableFields } from '../../shipping-methods/method-fields.js';
import { type StoredValues } from '../../shipping-methods/stored-values.js';
import { t } from './settings.js';

/** The fields that a method may inherit from its default. */
export const inheritable: typeof inheritableFields = [
  'carrier_label',
  'method_label',
  'sort_order',
  'meta',
  'is_active',
];
const sent = ['carrier_code', 'method_code', ...inheritable, 'use_default'] as const;

/** The values that are stored for this method. It may show other ones, which it inherits. */
export const storedIn = (method: ShippingMethodDto): ShippingMethodDto => ({ ...method, ...method.own });

/** Returns the request that stores a method as it is, and inherits what it inherits. */
export function requestOf(method: ShippingMethodDto): UpsertShippingMethodRequest {
  const stored = storedIn(method);
  return Object.fromEntries(sent.map((name) => [name, stored[name]])) as StoredValues;
}

/** Returns the names of the fields that come from the default, if there is one. */
export const inheritedBy = ({ use_default: names }: ShippingMethodDto): readonly InheritableField[] =>
  names === true ? inheritable : names || [];

export const onOrOff = (isActive: boolean): string | undefined => t(isActive ? 'on' : 'off');

/** What the list marks in the row of a method. */
export interface Marks {
  own: InheritableField[];
  text: string | false | undefined;
  problem: 'default_gone' | 'default_off' | false | undefined;
}

/**
 * Returns what the list marks: the fields that a method has of its own although there is a default, and a default that
 * is switched off or gone. Values that come from a default are the normal case, and have no mark. The text says what
 * the default has, if it is another name or the other position of the switch.
 * @param standard the default of the method, if there is one and this user may read it
 */
export function marksOf(method: ShippingMethodDto, standard: ShippingMethodDto | undefined): Marks {
  const { inherited, own, is_active, etag } = method;
  const isGone = etag.endsWith('-none"');
  const hasDefault = standard !== undefined || inherited.length > 0;
  /** A method that was switched off here stays off, whatever the default does. */
  const isOffHere = own.is_active === false;
  const isOwn = (name: InheritableField): boolean =>
    inheritedBy(method).includes(name)
      ? name === 'is_active' && isOffHere
      : (standard ?? method)[name] !== null;
  const marked = hasDefault ? inheritable.filter(isOwn) : [];
  const fieldOf = (name: InheritableField): string | undefined => {
    const field = name === 'is_active' ? onOrOff(is_active) : t(name);
    const value = name === 'is_active' && standard ? onOrOff(standard.is_active) : standard?.[name];
    const isOther = typeof value === 'string' && value !== (name === 'is_active' ? field : method[name]);
    return isOther ? t('own_field', { field, value }) : field;
  };
  const fields = marked.map(fieldOf).join(', ');
  return {
    own: marked,
    text: marked.length > 0 && (inheritedBy(method).length > 0 ? t('own', { fields }) : t('all_own')),
    problem: isGone
      ? 'default_gone'
      : inherited.includes('is_active') && own.is_active && !is_active && 'default_off',
  };
}
