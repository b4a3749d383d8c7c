import fc from 'fast-check';
import { resolved, type Schema } from './document.js';

/** Only a few, so that requests meet the rows of earlier requests. */
const codes = ['ups', 'UPS', 'dhl', '03', 'bpack 24/7', 'U2hp==', 'GS더프레시', 'a,b=%20', 'p2', 'default'];

const character = fc.constantFrom(...'abzAZ059_-.:/@+(),=%\'"<\\ éñ한字😀');
const plain = fc.string({ unit: fc.constantFrom(...'aZ9 éß字😀%_\\\'"<&;'), maxLength: 12 });

/** Generates values that the schema allows. Limits that only its description has are left to the caller. */
export function valueOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return valueOf(resolved(schema));
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valueOf));
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => valueOf({ ...schema, type })));
  }
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integerOf(schema);
    case 'array': {
      const array = schema.uniqueItems ? fc.uniqueArray : fc.array;
      return array(valueOf(schema.items ?? {}), { maxLength: 3 });
    }
    case 'object':
      return objectOf(schema);
    default:
      return textOf(schema);
  }
}

function integerOf({ minimum = -(2 ** 31), maximum = 2 ** 31 - 1 }: Schema): fc.Arbitrary<number> {
  const near = fc.constantFrom(...[minimum, 0, 1, 10, maximum].filter((n) => n >= minimum && n <= maximum));
  return fc.oneof(near, fc.integer({ min: minimum, max: maximum }));
}

function textOf(schema: Schema): fc.Arbitrary<string> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'date-time') {
    return fc
      .date({ min: new Date(0), max: new Date('9999-01-01T00:00:00Z'), noInvalidDate: true })
      .map((date) => date.toISOString());
  }
  const { minLength = 0, maxLength = 12, pattern } = schema;
  if (pattern === undefined) {
    return fc.oneof(plain, fc.constantFrom(...codes)).filter((text) => text.trim().length >= minLength);
  }
  const accepted = new RegExp(pattern, 'u');
  const drawn = fc.string({ unit: character, minLength: 1, maxLength: Math.min(maxLength, 12) });
  const isAccepted = (text: string): boolean => accepted.test(text);
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...codes.filter(isAccepted)) },
    { weight: 3, arbitrary: drawn.filter(isAccepted) },
    { weight: 1, arbitrary: fc.constant('x'.repeat(schema.maxLength ?? 64)) },
  );
}

function objectOf({ properties, required = [] }: Schema): fc.Arbitrary<unknown> {
  if (!properties) return fc.dictionary(key, json, { maxKeys: 4 });
  const values = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valueOf(schema)]),
  );
  return fc.record(values, { requiredKeys: required });
}

const key = fc.constantFrom('a', 'b', 'max_weight_kg', 'é', '$gt', "k'--", '0', ' ');
const json = fc.oneof(
  plain,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n)),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.dictionary(key, fc.integer(), { maxKeys: 3 }),
);
