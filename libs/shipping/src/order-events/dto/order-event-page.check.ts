import { checkCount, checkParameters } from '../../validation/query.js';
import { lengthOf } from '../../validation/text.js';
import { type Report, type Violations } from '../../validation/violations.js';
import { type EventPosition, positionOf } from '../event-cursor.js';
import { eventLengths } from './order-event.dto.js';
import { type OrderEventQuery } from './order-event-page.dto.js';
import { eventTypePattern } from './new-order-event.dto.js';

const parameters = [
  'limit',
  'types',
  'excludeTypes',
  'newestFirst',
  'cursor',
] satisfies (keyof OrderEventQuery)[];
const limits = { limit: 50, maxLimit: 200, maxTypes: 50, maxCursor: 128 } as const;

/** Which events of an order are read. */
export interface EventRange {
  /** The largest number of events. By default all events are read. */
  limit?: number;
  /** Only events of these types. By default events of all types are read. */
  types?: readonly string[] | undefined;
  /** No events of these types. */
  excludeTypes?: readonly string[] | undefined;
  newestFirst?: boolean;
  /** Only events that come after this position, in the direction of reading. */
  after?: EventPosition | undefined;
}

export function checkEventQuery(violations: Violations, input: unknown): EventRange & { limit: number } {
  const query = checkParameters(violations, input, 'list()', parameters);
  const check = (parameter: string): [Report, unknown] => [violations.at({ parameter }), query[parameter]];
  if (query['types'] !== undefined && query['excludeTypes'] !== undefined)
    violations.at({ parameter: 'excludeTypes' })(
      'not_allowed',
      'excludeTypes is not allowed together with types.',
    );
  return {
    limit: checkCount(violations, query, 'limit', limits.limit, limits.maxLimit),
    types: checkTypes('types', ...check('types')),
    excludeTypes: checkTypes('excludeTypes', ...check('excludeTypes')),
    newestFirst: checkNewestFirst(...check('newestFirst')),
    after: checkCursor(...check('cursor')),
  };
}

function checkTypes(parameter: string, report: Report, value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return report('type', `${parameter} must be a list of types.`);
  if (value.length > limits.maxTypes)
    return report('too_many', `${parameter} must have at most ${limits.maxTypes} entries.`);
  return value.flatMap((type: unknown, index) => {
    const name = `${parameter}[${index}]`;
    if (typeof type !== 'string') return report('type', `${name} must be a string.`);
    if (lengthOf(type) > eventLengths.type)
      return report('length', `${name} must have at most ${eventLengths.type} characters.`);
    if (!eventTypePattern.test(type))
      return report('format', `${name} must be like "order.placed": ${eventTypePattern.source}.`);
    return [type];
  });
}

function checkNewestFirst(report: Report, value: unknown): boolean {
  if (value !== undefined && typeof value !== 'boolean') report('type', 'newestFirst must be true or false.');
  return value === true;
}

function checkCursor(report: Report, value: unknown): EventPosition | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') return void report('type', 'cursor must be a string.');
  if (value.length > limits.maxCursor)
    return void report('length', `cursor must have at most ${limits.maxCursor} characters.`);
  const position = positionOf(value);
  if (!position) report('format', 'cursor must be the "next" of a page.');
  return position;
}
