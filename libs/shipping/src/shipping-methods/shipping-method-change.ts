import { type ShippingMethodDto } from './dto/shipping-method.dto.js';

/** A committed change of one method, as it was and is presented. */
export type ShippingMethodChange =
  | { type: 'created'; before: null; after: ShippingMethodDto }
  | { type: 'updated'; before: ShippingMethodDto; after: ShippingMethodDto }
  | { type: 'deleted'; before: ShippingMethodDto; after: null };
