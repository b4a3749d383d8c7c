import { type ConfigurableModuleAsyncOptions, type Type } from '@nestjs/common';
import { type OptionsOwner, refuseUnknown } from './check-options.js';

type AsyncOptions<Options> = ConfigurableModuleAsyncOptions<Options, 'create'>;

/** The places from which a module can get its options. Exactly one of them must be given. */
export type OptionsSource<Options> = Pick<AsyncOptions<Options>, 'provideInjectionTokensFrom'> &
  (
    | {
        /** A class with a method `create()`, of which Nest makes an instance. */
        useClass: Type<{ create(): Options | Promise<Options> }>;
        inject?: undefined;
        useFactory?: undefined;
        useExisting?: undefined;
      }
    | {
        /** The class of a provider with a method `create()`. */
        useExisting: Type<{ create(): Options | Promise<Options> }>;
        inject?: undefined;
        useFactory?: undefined;
        useClass?: undefined;
      }
    | {
        /** Returns the options, or a promise of them. Its parameters are what `inject` names. */
        useFactory: NonNullable<AsyncOptions<Options>['useFactory']>;
        inject?: AsyncOptions<Options>['inject'];
        useClass?: undefined;
        useExisting?: undefined;
      }
  );

/**
 * Checks the options of `forRootAsync()`.
 * @throws Error when there is no factory or more than one, or an unknown option
 */
export function checkAsyncOptions(options: object, owner: OptionsOwner): void {
  const { useFactory, useClass, useExisting, inject, provideInjectionTokensFrom } = Object(
    options,
  ) as ConfigurableModuleAsyncOptions<object>;
  const given = [useFactory, useClass, useExisting].filter(Boolean);
  if (given.length !== 1)
    throw new Error(`${owner.name}.forRootAsync() needs one of useFactory, useClass and useExisting.`);
  const factory = { useFactory, useClass, useExisting, inject, provideInjectionTokensFrom };
  refuseUnknown(options, { ...factory, ...owner.staticOptions }, owner);
}
