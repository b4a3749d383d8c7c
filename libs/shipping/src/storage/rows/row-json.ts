import { createHash } from 'node:crypto';
import {
  type ShippingCarrierDto,
  type ShippingMethodDto,
} from '../../shipping-methods/dto/shipping-method.dto.js';
import {
  type FieldKind,
  type FieldName,
  fieldNames,
  fieldOf,
  type InheritedField,
  inheritedFields,
} from '../../shipping-methods/method-fields.js';
import { wireTime } from './row-dialect.js';
import { type Row } from './scripts.js';

// The JSON of the wire, made of rows. A row has the fields of a method and, with the prefix `d_`, the inherited fields of
// its default, with `default_id` and `default_version`. Where no default is read, these are missing.

type JsonOf = (row: Row) => string;

const jsonOfKind: Record<FieldKind, (value: unknown) => string> = {
  // Neither has anything to escape.
  id: (value) => `"${String(value)}"`,
  time: (value) => `"${wireTime(value)}"`,
  code: JSON.stringify,
  label: JSON.stringify,
  boolean: (value) => (Number(value) === 1 ? 'true' : 'false'),
  integer: String,
  json: String,
};

function isInherited(row: Row, name: InheritedField): boolean {
  return (row[`d_${name}`] ?? null) !== null;
}

function ownJson(name: FieldName): JsonOf {
  const json = jsonOfKind[fieldOf(name).kind];
  return (row) => json(row[name]);
}

function shownJson(name: FieldName): JsonOf {
  const { kind, inherited } = fieldOf(name);
  const json = jsonOfKind[kind];
  return inherited ? (row) => json(row[`d_${name}`] ?? row[name]) : ownJson(name);
}

/** The JSON of an object with these members. It is made for every row of a list, so it does little for each. */
export function jsonObject(members: Readonly<Record<string, JsonOf>>): JsonOf {
  const parts = Object.entries(members).map(([name, json], index) => ({
    begin: `${index === 0 ? '{' : ','}"${name}":`,
    json,
  }));
  return (row) => {
    let text = '';
    for (const { begin, json } of parts) text += begin + json(row);
    return `${text}}`;
  };
}

/** The entity-tag. A default that is deleted and made anew has version 1 again, but another id. */
export function etagOf(row: Row): string {
  const { version, default_id, default_version } = row;
  const ofDefault = default_id ? `-${String(default_id).slice(-12)}.${String(default_version)}` : '';
  return `"${String(version)}${ofDefault}"`;
}

const { id, version, created_at, updated_at, ...settable } = Object.fromEntries(
  fieldNames.map((name) => [name, shownJson(name)]),
) as Record<FieldName, JsonOf>;

/** The JSON of the method that a row shows. */
export const methodJson = jsonObject({
  id,
  project_id: ({ project_id }) => JSON.stringify(project_id),
  ...settable,
  inherited: (row) =>
    row['default_id'] ? JSON.stringify(inheritedFields.filter((name) => isInherited(row, name))) : '[]',
  own: (row) => (row['default_id'] ? ownValues(row) : '{}'),
  version,
  etag: (row) => JSON.stringify(etagOf(row)),
  created_at,
  updated_at,
} satisfies Record<keyof ShippingMethodDto, JsonOf>);

/** The method's own values, of the fields that are inherited. */
function ownValues(row: Row): string {
  const members = inheritedFields.flatMap((name) =>
    isInherited(row, name) ? [`"${name}":${ownJson(name)(row)}`] : [],
  );
  return `{${members.join(',')}}`;
}

export function methodOf(row: Row): ShippingMethodDto {
  return JSON.parse(methodJson(row)) as ShippingMethodDto;
}

/** @param rows in the order of the list, which is that of the branches and that in each branch */
export function treeJson(rows: readonly Row[]): string {
  const branches = new Map<unknown, Row[]>();
  for (const row of rows) {
    const branch = branches.get(row['carrier_code']);
    if (branch) branch.push(row);
    else branches.set(row['carrier_code'], [row]);
  }
  return Array.from(branches.values(), branchJson).join(',');
}

const { carrier_code, carrier_label, is_active, sort_order } = settable;

function branchJson(branch: readonly Row[]): string {
  const [first = {}] = branch;
  const labels = branch.map(carrier_label);
  const members = {
    carrier_code: () => carrier_code(first),
    // The first one among its methods.
    carrier_label: () => labels.find((label) => label !== 'null') ?? carrier_code(first),
    is_active: () => String(branch.some((row) => is_active(row) === 'true')),
    sort_order: () => sort_order(first),
    methods: () => `[${branch.map(methodJson).join(',')}]`,
  } satisfies Record<keyof ShippingCarrierDto, () => string>;
  return jsonObject(members)(first);
}

const inheriting = Object.fromEntries(inheritedFields.map((name) => [`d_${name}`, '']));

/** Another text for another form of the JSON, so that a new version of the library does not confirm old bodies. */
export const format = createHash('sha256')
  .update(treeJson([{ ...inheriting, default_id: 'd' }]))
  .digest('base64url')
  .slice(0, 6);
