import { codesKey } from '../../shipping-methods/method-codes.js';
import { folded } from '../../validation/text.js';
import { address } from './address.js';
import { t } from './settings.js';
import { formValues, html, isForInputMethod } from './view.js';

const names = ['q', 'carrier', 'status'];
export const noFilters = Object.fromEntries(names.map((name) => [name, '']));
export const isFiltered = (filters) => names.some((name) => filters[name] !== '');

export const filtersInAddress = () => Object.fromEntries(names.map((name) => [name, address.get(name) ?? '']));

/**
 * Searches as the API does: each word must be a part of a code or a label. Case and accents do not count. A method that
 * the user has just saved stays in the list.
 */
export function matching({ methods, marks, defaults, filters, kept }) {
  if (!isFiltered(filters)) return methods;
  const { q, carrier, status } = filters;
  const words = folded(q).split(/\s+/);
  return methods.filter((method) => {
    const { carrier_code, carrier_label, method_code, method_label, is_active, id } = method;
    const texts = [carrier_code, carrier_label ?? '', method_code, method_label].map(folded);
    return (
      kept.has(id) ||
      ((carrier === '' || carrier === carrier_code) &&
        (status === '' ||
          (status === 'on' && is_active) ||
          (status === 'off' && !is_active) ||
          (status === 'own' && marks.get(id).own.length > 0) ||
          (status === 'only' && defaults.size > 0 && !defaults.has(codesKey(method)))) &&
        words.every((word) => texts.some((text) => text.includes(word))))
    );
  });
}

/** @param hasDefaults whether some values may come from defaults, also from those that this user may not read */
export function Filters({ filters, carriers, defaults, hasDefaults, show }) {
  const filter = (event) => show({ ...filters, ...formValues(event) });
  const toFirst = (event) => {
    if (event.key !== 'ArrowDown' || isForInputMethod(event)) return;
    event.preventDefault();
    document.querySelector('.methods .name')?.focus();
  };
  const option = ([value, text]) => html`<option key=${value} value=${value}>${text}</option>`;
  const choice = (name, label, options) => html`
    <select name=${name} aria-label=${t(label)} value=${filters[name]}>${options.map(option)}</select>`;
  // An empty field has the direction of the page, as its placeholder has.
  return html`
    <search>
      <form class="row" autocomplete="off" onInput=${filter} onSubmit=${filter}>
        <input name="q" type="search" dir=${filters.q && 'auto'} maxlength="100" aria-label=${t('search')} placeholder=${t('search')} value=${filters.q} onKeyDown=${toFirst} />
        ${choice('carrier', 'carrier', [['', t('all_carriers')], ...carriers.map((each) => [each.carrier_code, each.carrier_label])])}
        ${choice('status', 'status', [
          ['', t('all_methods')],
          ['on', t('on')],
          ['off', t('off')],
          ...(hasDefaults ? [['own', t('own_values')]] : []),
          ...(defaults?.size > 0 ? [['only', t('only_here')]] : []),
        ])}
      </form>
    </search>`;
}
