import { type EntityManager } from 'typeorm';

/** The last argument of each call that reads or changes data. An unknown option is a `TypeError`. */
export interface ShippingCallOptions {
  /**
   * The call becomes part of the transaction that is open on this manager. Only that transaction commits it, and the
   * call is not repeated. If no transaction is open, a change makes one of its own. `dataSource.manager` has no
   * transaction: the call then runs as without a manager.
   */
  manager?: EntityManager | undefined;
}

/** A call checks the value of an option with this rule. */
export interface OptionRule {
  /** Undefined if the call has checked the option already. @param options all options of the call */
  accepts?(value: unknown, options: object): boolean;
  /** The end of the sentence "The option … must be …". */
  readonly expected?: string;
}

/** The options that a call takes beside `manager`. */
export type OptionRules<Options extends ShippingCallOptions> = Readonly<
  Record<Exclude<keyof Options, keyof ShippingCallOptions>, OptionRule>
>;

/**
 * @param otherOptions the options that the call takes beside `manager`
 * @throws TypeError for an unknown option, or a wrong value
 */
export function checkCallOptions(
  options: ShippingCallOptions,
  otherOptions: Readonly<Record<string, OptionRule>>,
): void {
  // If we ignored other values, the call would commit by itself.
  if (Object(options) !== options) throw new TypeError('The options of a call must be an object.');
  if ('getRepository' in options) throw new TypeError('Pass the manager in the options: { manager }.');
  for (const [name, value] of Object.entries(options)) {
    if (name === 'manager') continue;
    const rule = otherOptions[name];
    if (!rule) {
      const known = ['manager', ...Object.keys(otherOptions)].join(', ');
      throw new TypeError(`This call has no option "${name}". It takes ${known}.`);
    }
    if (value !== undefined && rule.accepts?.(value, options) === false)
      throw new TypeError(`The option "${name}" must be ${rule.expected}.`);
  }
}
