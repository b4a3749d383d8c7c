import { type Report, shortened, type Violations } from '../../validation/violations.js';
import { listLimits, listParameters } from './list-query.dto.js';
import { type CheckedListQuery } from './list-filter.js';
import { checkListQuery } from './list-query.check.js';
import { fieldOf, filterFields } from '../method-fields.js';

const bracketedName = /^filter\[(.*)\]$/s;
/** PHP and many clients write a list as `filter[field][]=value`. */
const nestedName = /^(filter\[[^[\]]*\])\[.*\]$/s;

/** Returns a name without the differences that people overlook: `per_page` and `perPages` both become `perpage`. */
const looseName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '').replace(/s$/, '');
const parametersByLooseName = new Map(listParameters.map((name) => [looseName(name), name]));

/**
 * A host may have parameters of its own, so unknown ones are ignored. But if a near miss were ignored, such as
 * `filters[carrier_code]` or `raw_filters[0][field]`, the response would have all methods.
 */
function checkName(violations: Violations, name: string): void {
  const base = /^[^[]*/.exec(name)?.[0] ?? name;
  const meant = parametersByLooseName.get(looseName(base));
  if (meant === undefined || (meant === base && meant !== 'raw_filters')) return;
  const parameter = shortened(name);
  const right = meant === 'raw_filters' ? meant : name.replace(base, meant);
  const detail = `${parameter} is not a parameter of the list. Did you mean ${shortened(right)}?`;
  violations.at({ parameter })('unknown', detail, listParameters);
}

/**
 * Reads and checks the query in the URL. It parses the text of the URL, because Fastify and the two parsers of Express
 * treat brackets and repeated keys differently, and a host's pipes may change the result.
 * @param search the part of the URL after `?`
 */
export function readListQuery(violations: Violations, search: string, maxPageSize: number): CheckedListQuery {
  const unbracketed = new Map<string, string>();
  const filter: Record<string, unknown[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(search)) {
    const field = bracketedName.exec(name)?.[1];
    const isUnclosed = field === undefined && name.startsWith('filter[');
    if (field === undefined && !isUnclosed && !listParameters.includes(name)) {
      checkName(violations, name);
      continue;
    }
    const parameter = shortened(name);
    const report = violations.at({ parameter });
    if (isUnclosed) report('unknown', `${parameter} must be filter[field].`);
    else if (Buffer.byteLength(value) > listLimits.parameterBytes)
      report('too_large', `${parameter} must be at most ${listLimits.parameterBytes} bytes.`);
    else if (nestedName.test(name))
      report(
        'unknown',
        `${parameter} must be ${shortened(name.replace(nestedName, '$1'))}=value. Repeat it for several values.`,
      );
    else if (field !== undefined && value === '') report('required', `${parameter} needs a value.`);
    else if (field !== undefined) (filter[field] ??= []).push(typedValue(field, value));
    else if (unbracketed.has(name)) report('duplicate', `${parameter} may be given once only.`);
    else unbracketed.set(name, value);
  }

  const isBracketed = Object.keys(filter).length > 0;
  if (isBracketed && unbracketed.get('filter')) {
    const detail = 'Use either filter={…} or filter[field]=value, not both at once.';
    violations.at({ parameter: 'filter' })('not_allowed', detail);
  }
  const decoded = (name: string, decode: Decode): unknown => {
    const text = unbracketed.get(name);
    return text ? decode(violations.at({ parameter: name }), text, name) : undefined;
  };
  const query = {
    page: decoded('page', count),
    per_page: decoded('per_page', count),
    q: unbracketed.get('q'),
    filter: isBracketed ? { ...filter } : decoded('filter', json),
    raw_filters: decoded('raw_filters', json),
  };
  return checkListQuery(violations, query, maxPageSize, isBracketed);
}

/** Reads a value in the type of its field. If that is not possible, the value stays text, and the check refuses it. */
function typedValue(field: string, value: string): string | number | boolean {
  const filterField = filterFields.find((name) => name === field);
  const kind = filterField && fieldOf(filterField).kind;
  if (kind === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (kind === 'integer' && /^-?\d+$/.test(value)) return Number(value);
  return value;
}

type Decode = (report: Report, text: string, name: string) => unknown;

const count: Decode = (report, text, name) => {
  if (/^\d+$/.test(text)) return Number(text);
  report('format', `${name} must be plain decimal digits.`);
  return undefined;
};

const json: Decode = (report, text, name) => {
  try {
    return JSON.parse(text);
  } catch {
    report('format', `${name} must be JSON, percent-encoded.`);
    return undefined;
  }
};
