/** Code-point order, as the contract has it; JavaScript's own compares UTF-16 units. */
export function byCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
