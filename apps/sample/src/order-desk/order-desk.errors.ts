import { Refusal } from '../refusal.js';

export class UnknownMethodError extends Refusal {
  constructor() {
    const detail = 'This project has no shipping method with these codes. Choose one from its list.';
    super(404, 'method_not_found', 'Shipping method not found', detail);
  }
}

export class MethodInactiveError extends Refusal {
  constructor() {
    const detail = 'This shipping method is not offered now. Choose an active one.';
    super(409, 'method_inactive', 'Shipping method inactive', detail);
  }
}

export class OrderExistsError extends Refusal {
  constructor() {
    super(
      409,
      'order_exists',
      'Order exists',
      'This order is placed already. Nothing was changed. Choose another order number.',
    );
  }
}
