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
  inheritedFields,
} from '../../shipping-methods/method-fields.js';
import { wireTime } from './row-dialect.js';
import { type Row } from './scripts.js';

// The JSON of the wire, made of rows. A row has the fields of a method and, with the prefix `d_`, the inherited fields of
// its default, with `default_id` and `default_version`. Where no default is read, these are missing.

const jsonOfKind: Record<FieldKind, (value: unknown) => string> = {
  id: JSON.stringify,
  code: JSON.stringify,
  label: JSON.stringify,
  boolean: (value) => String(Number(value) === 1),
  integer: String,
  json: String,
  time: (value) => JSON.stringify(wireTime(value)),
};

function isInherited(row: Row, name: FieldName): boolean {
  return fieldOf(name).inherited === true && (row[`d_${name}`] ?? null) !== null;
}

function ownJson(row: Row, name: FieldName): string {
  return jsonOfKind[fieldOf(name).kind](row[name]);
}

function jsonOfField(row: Row, name: FieldName): string {
  return isInherited(row, name) ? jsonOfKind[fieldOf(name).kind](row[`d_${name}`]) : ownJson(row, name);
}

/** The entity-tag. A default that is deleted and made anew has version 1 again, but another id. */
export function etagOf(row: Row): string {
  const { version, default_id, default_version } = row;
  const ofDefault = default_id ? `-${String(default_id).slice(-12)}.${String(default_version)}` : '';
  return `"${String(version)}${ofDefault}"`;
}

const { id, version, created_at, updated_at, ...settable } = Object.fromEntries(
  fieldNames.map((name) => [name, (row: Row) => jsonOfField(row, name)]),
) as Record<FieldName, (row: Row) => string>;

const methodMembers = Object.entries({
  id,
  project_id: ({ project_id }) => JSON.stringify(project_id),
  ...settable,
  inherited: (row) => JSON.stringify(inheritedFields.filter((name) => isInherited(row, name))),
  own: (row) =>
    jsonObject(
      inheritedFields.filter((name) => isInherited(row, name)).map((name) => [name, ownJson(row, name)]),
    ),
  version,
  etag: (row) => JSON.stringify(etagOf(row)),
  created_at,
  updated_at,
} satisfies Record<keyof ShippingMethodDto, (row: Row) => string>);

/** The JSON of the method that a row shows. */
export function methodJson(row: Row): string {
  return jsonObject(methodMembers.map(([name, json]) => [name, json(row)]));
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

function branchJson(branch: readonly Row[]): string {
  const [first = {}] = branch;
  const labels = branch.map((row) => jsonOfField(row, 'carrier_label'));
  const members = {
    carrier_code: jsonOfField(first, 'carrier_code'),
    // The first one among its methods.
    carrier_label: labels.find((label) => label !== 'null') ?? jsonOfField(first, 'carrier_code'),
    is_active: String(branch.some((row) => jsonOfField(row, 'is_active') === 'true')),
    sort_order: jsonOfField(first, 'sort_order'),
    methods: `[${branch.map(methodJson).join(',')}]`,
  } satisfies Record<keyof ShippingCarrierDto, string>;
  return jsonObject(Object.entries(members));
}

export function jsonObject(members: readonly [name: string, json: string][]): string {
  return `{${members.map(([name, json]) => `"${name}":${json}`).join(',')}}`;
}

const inheriting = Object.fromEntries(inheritedFields.map((name) => [`d_${name}`, '']));

/** Another text for another form of the JSON, so that a new version of the library does not confirm old bodies. */
export const format = createHash('sha256')
  .update(treeJson([{ ...inheriting, default_id: 'd' }]))
  .digest('base64url')
  .slice(0, 6);
