import { byCodePoint } from '../validation/text.js';

/** The two codes that name a method in its project. */
export interface ShippingMethodCodes {
  /** The code of the carrier, such as `ups`. Case and accents count. */
  readonly carrier_code: string;
  /** The code of the method, such as `03`. Case and accents count. */
  readonly method_code: string;
}

/** Returns one key for the pair of codes. It is unambiguous, because no code has a line break. */
export function codesKey({ carrier_code, method_code }: ShippingMethodCodes): string {
  return `${carrier_code}\n${method_code}`;
}

/** Compares the codes of two methods, for the order of lists. */
export function byCodes(a: ShippingMethodCodes, b: ShippingMethodCodes): number {
  return byCodePoint(a.carrier_code, b.carrier_code) || byCodePoint(a.method_code, b.method_code);
}
