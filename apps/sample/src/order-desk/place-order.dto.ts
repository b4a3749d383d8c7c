import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length, Matches, validateSync } from 'class-validator';
import { type Violation, type ViolationCode, ValidationFailedError } from 'nestjs-shipping';

/** The host's own id of an order, as the library bounds it. */
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

const fields = ['order_id', 'carrier_code', 'method_code'] as const;
const faultCodes: Record<string, ViolationCode> = { isString: 'type', isLength: 'length', matches: 'format' };

/** Takes three fields of whatever JSON it is, and walks into nothing. @throws ValidationFailedError */
export function checkPlaceOrder(body: unknown): PlaceOrderRequest {
  const sent = (body ?? {}) as PlaceOrderRequest;
  const request = new PlaceOrderRequest();
  for (const field of fields) request[field] = sent[field];
  const errors = validateSync(request, { stopAtFirstError: true }).flatMap(({ property, constraints = {} }) =>
    Object.entries(constraints).map(([rule, detail]): Violation => ({
      pointer: `/${property}`,
      code: faultCodes[rule] ?? 'format',
      detail: `${detail}.`,
    })),
  );
  if (errors.length > 0) throw new ValidationFailedError({ errors });
  return request;
}
