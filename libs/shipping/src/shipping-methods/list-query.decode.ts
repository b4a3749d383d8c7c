import { type Violations, shortened } from '../validation/violations.js';
import { listLimits } from './dto/list-shipping-methods.dto.js';
import { fieldOf, filterFields } from './method-fields.js';

const bracketed = /^filter\[(.*)\]$/s;

interface DecodedListQuery {
  /** Of the shape of `ListShippingMethods`, still to be checked. */
  query: Record<string, unknown>;
  isBracketed: boolean;
}

/**
 * Reads the query from the URL itself: Express (two parsers) and Fastify each make something else of
 * brackets and repeated keys, and a host's pipes may have changed what they made.
 * @param search what stands after `?`
 */
export function decodeListQuery(violations: Violations, search: string): DecodedListQuery {
  const single = new Map<string, string>();
  const filter: Record<string, unknown[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(search)) {
    const field = bracketed.exec(name)?.[1];
    const isOurs = field !== undefined || ['page', 'per_page', 'q', 'filter', 'raw_filters'].includes(name);
    if (!isOurs) continue;
    const parameter = shortened(name);
    if (Buffer.byteLength(value) > listLimits.parameterBytes) {
      violations.add(
        { parameter },
        'too_large',
        `${parameter} must be at most ${listLimits.parameterBytes} bytes.`,
      );
    } else if (field !== undefined) {
      if (value === '') violations.add({ parameter }, 'required', `${parameter} needs a value.`);
      else (filter[field] ??= []).push(typedValue(field, value));
    } else if (single.has(name)) {
      violations.add({ parameter }, 'duplicate', `${parameter} may be given once only.`);
    } else {
      single.set(name, value);
    }
  }

  const isBracketed = Object.keys(filter).length > 0;
  if (isBracketed && single.get('filter')) {
    violations.add(
      { parameter: 'filter' },
      'not_allowed',
      'Use either filter={…} or filter[field]=value, not both at once.',
    );
  }
  const query: Record<string, unknown> = {
    page: count(violations, 'page', single.get('page')),
    per_page: count(violations, 'per_page', single.get('per_page')),
    q: single.get('q'),
    filter: isBracketed ? { ...filter } : json(violations, 'filter', single.get('filter')),
    raw_filters: json(violations, 'raw_filters', single.get('raw_filters')),
  };
  return { query, isBracketed };
}

/** What is not written as the field's type goes on as text, to be refused by the check. */
function typedValue(field: string, value: string): string | number | boolean {
  const known = filterFields.find((name) => name === field);
  const kind = known && fieldOf(known).kind;
  if (kind === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (kind === 'integer' && /^-?\d+$/.test(value)) return Number(value);
  return value;
}

function count(violations: Violations, parameter: string, text: string | undefined): number | undefined {
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  violations.add({ parameter }, 'format', `${parameter} must be plain decimal digits.`);
  return undefined;
}

function json(violations: Violations, parameter: string, text: string | undefined): unknown {
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    violations.add({ parameter }, 'format', `${parameter} must be JSON, percent-encoded.`);
    return undefined;
  }
}
