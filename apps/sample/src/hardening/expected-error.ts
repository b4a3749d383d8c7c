import { ShippingException } from 'nestjs-shipping';

/**
 * The application's own errors have the same format as those of the library, so that clients need to know only
 * one.
 */
export abstract class ExpectedError extends ShippingException {
  protected constructor(
    status: number,
    code: string,
    title: string,
    detail: string,
    override readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super({ type: `urn:problem:sample:${code}`, title, status, code, detail });
  }
}
