import { inspect } from 'node:util';
import { VERSION_NEUTRAL } from '@nestjs/common';
import { ValidateBy, validateSync } from 'class-validator';

// A type with the name …Options is what the host passes. A class with the name …Settings has the defaults filled in.

/** The options of a class with settings. An option that is undefined has its default. */
export type OptionsOf<Settings> = { [Name in keyof Settings]?: Settings[Name] | undefined };

/** The module or the function that takes the options. */
export interface OptionsOwner {
  readonly name: string;
  /** An object with the options of a module that stand beside the factory of `forRootAsync()`. */
  readonly staticOptions?: object;
}

/**
 * A rule of class-validator for an option. It accepts undefined: an option with a default is never undefined here.
 * @param words what the option must be, for the error
 */
export function Must(words: string, isAllowed: (value: unknown) => boolean): PropertyDecorator {
  const defaultMessage = (): string => `$property must ${words}`;
  const validate = (value: unknown): boolean => value === undefined || isAllowed(value);
  return ValidateBy({ name: words, validator: { validate, defaultMessage } });
}

export const OptionalFunction = (): PropertyDecorator => Must('be a function', isFunction);

export const Decorators = (): PropertyDecorator =>
  Must('be an array of decorators, for instance [UseGuards(JwtGuard)]', areDecorators);

export const Version = (): PropertyDecorator =>
  Must('be a version, such as "1", or several versions, or VERSION_NEUTRAL', isVersion);

/**
 * Checks options by the rules of their class.
 * @param settings a new instance of the class, which has the defaults
 * @param place the option that holds these options, such as `http`
 * @returns the instance with the options
 * @throws Error that names the option, its value, and what it may be
 */
export function withDefaults<Settings extends object>(
  settings: Settings,
  options: unknown,
  owner: OptionsOwner,
  place = '',
): Settings {
  const prefix = place && `${place}.`;
  const given = objectOf(options, owner, place);
  const known = Object.keys(settings);
  for (const name of [...known, ...Object.keys(given)]) {
    const value: unknown = Reflect.get(given, name);
    if (value !== undefined) Reflect.set(settings, name, value);
  }
  const [error] = validateSync(settings, { whitelist: true, forbidNonWhitelisted: true });
  if (!error) return settings;
  const { property, value, constraints = {} } = error;
  if ('whitelistValidation' in constraints) throw unknownOption(prefix + property, known, owner);
  const shown = inspect(value, { depth: 0, breakLength: Infinity });
  const problem = `is ${shown}, but ${Object.values(constraints).join(', and ')}`;
  throw optionError(prefix + property, problem, owner);
}

/** @throws Error when the options are not an object */
export function objectOf(options: unknown, { name }: OptionsOwner, place = ''): object {
  if (typeof options === 'object' && options !== null) return options;
  const subject = place ? `${name} option "${place}" is` : `The options of ${name} are`;
  throw new Error(`${subject} ${inspect(options)}, but must be an object. {} means all defaults.`);
}

/** @param known an object with all options that are allowed in this place @throws Error that names the others */
export function refuseUnknown(options: object, known: object, owner: OptionsOwner): void {
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && !Object.hasOwn(known, name))
      throw unknownOption(name, Object.keys(known), owner);
}

function unknownOption(option: string, known: readonly string[], owner: OptionsOwner): Error {
  const place =
    owner.staticOptions && !option.includes('.')
      ? `. With forRootAsync(), ${Object.keys(owner.staticOptions).join(', ')} stand beside useFactory, and the factory ` +
        'returns the others'
      : '';
  return optionError(option, `is unknown here. The options are ${known.join(', ')}${place}`, owner);
}

function optionError(option: string, problem: string, owner: OptionsOwner): Error {
  return new Error(`${owner.name} option "${option}" ${problem}.`);
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isVersion(value: unknown): boolean {
  const versions = [value].flat();
  return (
    versions.length > 0 && versions.every((each) => typeof each === 'string' || each === VERSION_NEUTRAL)
  );
}

function areDecorators(value: unknown): boolean {
  // A class is a function, but not a decorator: JwtGuard must be UseGuards(JwtGuard).
  return Array.isArray(value) && value.every((each) => isFunction(each) && !/^class\b/.test(String(each)));
}
