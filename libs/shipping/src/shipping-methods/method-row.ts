import { wireTime } from '../database/wire-time.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';

/** A method as the database presents it (see `Presentation`). */
export interface MethodRow {
  id: string;
  project_id: string;
  carrier_code: string;
  carrier_label: string | null;
  method_code: string;
  method_label: string;
  is_active: boolean;
  sort_order: number;
  /** JSON text. */
  meta: string;
  use_default: boolean;
  /** JSON text. */
  inherited: string;
  /** JSON text. */
  own: string;
  version: number;
  /** Milliseconds since 1970. */
  created_at: number;
  /** Milliseconds since 1970. */
  updated_at: number;
}

/** The one mapping from row to wire. What is JSON in the database already is not parsed to be written again. */
export function jsonOf(row: MethodRow): string {
  return (
    `{"id":"${row.id}","project_id":"${row.project_id}","carrier_code":${JSON.stringify(row.carrier_code)},` +
    `"carrier_label":${JSON.stringify(row.carrier_label)},"method_code":${JSON.stringify(row.method_code)},` +
    `"method_label":${JSON.stringify(row.method_label)},"is_active":${row.is_active},` +
    `"sort_order":${row.sort_order},"meta":${row.meta},"use_default":${row.use_default},` +
    `"inherited":${row.inherited},"own":${row.own},"version":${row.version},` +
    `"created_at":"${wireTime(row.created_at)}","updated_at":"${wireTime(row.updated_at)}"}`
  );
}

export function methodOf(row: MethodRow): ShippingMethodDto {
  return JSON.parse(jsonOf(row)) as ShippingMethodDto;
}
