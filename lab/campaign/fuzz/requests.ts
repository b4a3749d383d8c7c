import fc from 'fast-check';
import { jsonOf, type Operation, operations, type Parameter } from './document.js';
import { valueOf } from './values.js';

export interface FuzzRequest {
  method: string;
  /** Path and query as they are sent, except that `{known:7}` becomes the id of an existing method. */
  target: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** Whether the document allows it. */
  isValid: boolean;
}

/** The ids of the last methods that were created, for later requests. */
export class KnownIds {
  private readonly ids: string[] = [];

  learn({ status, text }: { status: number; text: string }): void {
    if (status !== 201) return;
    this.ids.unshift((JSON.parse(text) as { id: string }).id);
    this.ids.length = Math.min(this.ids.length, 20);
  }

  at(index: number): string {
    return this.ids[index % this.ids.length] ?? 'none';
  }
}

/** The target as it is sent. */
export function filledIn(target: string, known: KnownIds): string {
  return target.replace(/\{known:(\d+)\}/g, (_, index: string) => known.at(Number(index)));
}

/** Makes one part of a request wrong or odd. */
export type Break = (request: FuzzRequest) => FuzzRequest;

const projects = ['p1', 'p2', 'default', 'p3', 'p4', 'p5'] as const;
const knownId = fc.nat({ max: 19 }).map((index) => `{known:${index}}`);
const version = fc.constantFrom('"1"', '"2"', '"3"', '*', '"1", "2"', 'W/"1"', '"9999999999"', '"x"');

/** Generates requests that the document allows. */
export const validRequest: fc.Arbitrary<FuzzRequest> = fc.constantFrom(...operations).chain((operation) =>
  fc
    .tuple(
      parametersOf(operation, 'path'),
      parametersOf(operation, 'query'),
      parametersOf(operation, 'header'),
    )
    .chain(([path, query, headers]) =>
      bodyOf(operation).map((body): FuzzRequest => {
        const search = Object.entries(query).map(([name, value]) => `${name}=${percent(value)}`);
        const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => percent(path[name] ?? ''));
        return {
          method: operation.method,
          target: filled + (search.length > 0 ? `?${search.join('&')}` : ''),
          headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
          ...(body !== undefined && { body }),
          isValid: isWithinBounds(query),
        };
      }),
    ),
);

function parametersOf({ parameters }: Operation, place: Parameter['in']) {
  const values: Record<string, fc.Arbitrary<string>> = {};
  for (const parameter of parameters) {
    if (parameter.in === place) values[parameter.name] = parameterValue(parameter);
  }
  const requiredKeys = place === 'path' ? Object.keys(values) : [];
  return fc.record(values, { requiredKeys }) as fc.Arbitrary<Record<string, string>>;
}

function parameterValue({ name, in: place, schema }: Parameter): fc.Arbitrary<string> {
  if (place === 'header') return version;
  if (name === 'method_id') return fc.oneof(knownId, knownId, fc.uuid(), fc.constantFrom('x', 'tree', '0'));
  if (name === 'project_id') return fc.constantFrom(...projects);
  if (schema.contentSchema) return valueOf(schema.contentSchema).map((value) => JSON.stringify(value));
  const small = name === 'page' ? [fc.constantFrom('1', '2')] : [];
  return fc.oneof(...small, valueOf(schema).map(String));
}

function bodyOf({ requestBody }: Operation): fc.Arbitrary<string | undefined> {
  const schema = jsonOf(requestBody?.content);
  return schema ? valueOf(schema).map((value) => JSON.stringify(value)) : fc.constant(undefined);
}

/** Checks the limits that the document has only in words: the highest page, and the values of each operator. */
function isWithinBounds({
  page = '1',
  per_page: perPage = '20',
  raw_filters: rawFilters,
}: Record<string, string>) {
  return (Number(page) - 1) * Number(perPage) <= 100_000 && rawFilters === undefined;
}

/** Percent-encodes as a careless client does: a lone surrogate becomes bytes that are not UTF-8. */
export function percent(text: string): string {
  if (/^\{known:\d+\}$/.test(text)) return text;
  return Array.from(text, (character) =>
    /[\uD800-\uDFFF]/u.test(character) ? '%ED%A0%80' : encodeURIComponent(character),
  ).join('');
}
