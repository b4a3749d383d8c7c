import { ShippingException } from 'nestjs-shipping';

/** The host's own refusals take the form of the library's, so that its clients know one kind of answer. */
export abstract class Refusal extends ShippingException {
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
