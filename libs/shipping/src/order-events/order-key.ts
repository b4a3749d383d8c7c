/** The ids that name an order. A row of yours that has them can be passed as it is. */
export interface OrderKey {
  /** The project: a letter, a digit or _, and then at most 63 letters, digits and _ . : - */
  readonly projectId: string;
  /** Your id of the order, of the same form. An order needs no other preparation. */
  readonly orderId: string;
}

/** Takes only the ids of an order, because a caller may pass a row that has them. */
export function idsOf(order: OrderKey): OrderKey {
  const { projectId, orderId } = Object(order) as OrderKey;
  return { projectId, orderId };
}
