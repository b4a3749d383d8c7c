import { t } from './settings.js';

/** The fields that a method may inherit from its default. */
export const inheritable = ['carrier_label', 'method_label', 'sort_order', 'meta', 'is_active'];
const sent = ['carrier_code', 'method_code', ...inheritable, 'use_default'];

/** The values that are stored for this method. It may show other ones, which it inherits. */
export const storedIn = (method) => ({ ...method, ...method.own });

/** Returns the request that stores a method as it is, and inherits what it inherits. */
export const requestOf = (method) => Object.fromEntries(sent.map((name) => [name, storedIn(method)[name]]));

/** Returns the names of the fields that come from the default, if there is one. */
export const inheritedBy = ({ use_default: names }) => (names === true ? inheritable : names || []);

export const onOrOff = (isActive) => t(isActive ? 'on' : 'off');

/**
 * Returns what the list marks: the fields that a method has of its own although there is a default, and a default that
 * is switched off or gone. Values that come from a default are the normal case, and have no mark. The text says what
 * the default has, if it is another name or the other position of the switch.
 * @param standard the default of the method, if there is one and this user may read it
 */
export function marksOf(method, standard) {
  const { inherited, own, is_active, etag } = method;
  const isGone = etag.endsWith('-none"');
  const hasDefault = standard !== undefined || inherited.length > 0;
  /** A method that was switched off here stays off, whatever the default does. */
  const isOffHere = own.is_active === false;
  const isOwn = (name) =>
    inheritedBy(method).includes(name) ? name === 'is_active' && isOffHere : (standard ?? method)[name] !== null;
  const marked = hasDefault ? inheritable.filter(isOwn) : [];
  const fieldOf = (name) => {
    const field = name === 'is_active' ? onOrOff(is_active) : t(name);
    const value = name === 'is_active' && standard ? onOrOff(standard.is_active) : standard?.[name];
    const isOther = typeof value === 'string' && value !== (name === 'is_active' ? field : method[name]);
    return isOther ? t('own_field', { field, value }) : field;
  };
  const fields = marked.map(fieldOf).join(', ');
  return {
    own: marked,
    text: marked.length > 0 && (inheritedBy(method).length > 0 ? t('own', { fields }) : t('all_own')),
    problem: isGone ? 'default_gone' : inherited.includes('is_active') && own.is_active && !is_active && 'default_off',
  };
}
