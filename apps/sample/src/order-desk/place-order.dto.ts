import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length, Matches, validateSync } from 'class-validator';
import { type Violation, type ViolationCode, ValidationFailedError } from 'nestjs-shipping';

/**
 * The library accepts the same order ids. `#1001` is not valid: examples/nest11-express-mariadb shows an order with
 * an id and a number.
 */
const orderIdPattern = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}$/;

export class PlaceOrderRequest {
  @ApiProperty({ type: String, pattern: orderIdPattern.source, example: '2001' })
  @Matches(orderIdPattern)
  @IsString()
  order_id!: string;

  @ApiProperty({ type: String, minLength: 1, maxLength: 64, example: 'ups' })
  @Length(1, 64)
  @IsString()
  carrier_code!: string;

  @ApiProperty({ type: String, minLength: 1, maxLength: 128, example: '03' })
  @Length(1, 128)
  @IsString()
  method_code!: string;
}

const violationCodes: Record<string, ViolationCode> = {
  isString: 'type',
  isLength: 'length',
  matches: 'format',
};

/**
 * Reads the three fields of any JSON and looks no deeper, because a body may be nested very deeply.
 * @throws ValidationFailedError
 */
export function checkPlaceOrder(body: unknown): PlaceOrderRequest {
  const { order_id, carrier_code, method_code } = (body ?? {}) as PlaceOrderRequest;
  const request = Object.assign(new PlaceOrderRequest(), { order_id, carrier_code, method_code });
  const errors = validateSync(request, { stopAtFirstError: true }).map(
    ({ property, constraints }): Violation => {
      const [[rule, detail] = ['', '']] = Object.entries(constraints ?? {});
      return { pointer: `/${property}`, code: violationCodes[rule] ?? 'format', detail: `${detail}.` };
    },
  );
  if (errors.length > 0) throw new ValidationFailedError({ errors });
  return request;
}
