import { ShippingException } from 'nestjs-shipping';

/** The host's own refusals take the form of the library's: one kind of answer for its clients. */
export class UnknownMethodError extends ShippingException {
  constructor() {
    super({
      type: 'urn:problem:sample:method_not_found',
      title: 'Shipping method not found',
      status: 404,
      code: 'method_not_found',
      detail: 'This project has no shipping method with these codes: choose one from its list.',
    });
  }
}

export class MethodInactiveError extends ShippingException {
  constructor() {
    super({
      type: 'urn:problem:sample:method_inactive',
      title: 'Shipping method inactive',
      status: 409,
      code: 'method_inactive',
      detail: 'This shipping method is not offered now: choose an active one.',
    });
  }
}

export class OrderExistsError extends ShippingException {
  constructor() {
    super({
      type: 'urn:problem:sample:order_exists',
      title: 'Order exists',
      status: 409,
      code: 'order_exists',
      detail: 'This order is placed already; nothing was changed.',
    });
  }
}
