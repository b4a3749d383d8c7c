/** Collects the values of a statement; what goes into the text is only ever a placeholder. */
export class Parameters {
  readonly values: unknown[] = [];

  /** @param type a PostgreSQL type, a constant of ours */
  bind(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}
