import { type ShippingMethodChange, type ShippingMethodDto } from 'nestjs-shipping';

/** Returns the methods of the changes of one type. A removed method is as it was. */
export function methodsOf(
  changes: readonly ShippingMethodChange[],
  type: ShippingMethodChange['type'],
): ShippingMethodDto[] {
  return changes.flatMap((change) => (change.type === type ? (change.after ?? change.before) : []));
}
