import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import {
  ArrayNotEmpty,
  IsArray,
  IsInt,
  IsISO31661Alpha2,
  IsOptional,
  IsUppercase,
  Matches,
  Min,
  validate,
} from 'class-validator';
import { type ShippingMethodChange, type ShippingMethodDto, ShippingMethodsService } from 'nestjs-shipping';

/** The rules of a method, in its `meta`. A rule that is left out or null always holds. */
export class CartRules {
  @IsOptional() @IsInt() @Min(1) maxGrams?: number | null;
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @IsISO31661Alpha2({ each: true })
  @IsUppercase({ each: true })
  countries?: string[] | null;
  /** In the smallest unit of the currency. */
  @IsOptional() @IsInt() @Min(0) minTotal?: number | null;
  /** The time of the shop, for instance `14:30`. */
  @IsOptional() @Matches(/^([01]\d|2[0-3]):[0-5]\d$/) orderBefore?: string | null;
  /** A flat price, in the smallest unit of the currency. It is no rule: your checkout shows and charges it. */
  @IsOptional() @IsInt() @Min(0) price?: number | null;
}

export interface Cart {
  grams: number;
  country: string;
  total: number;
  /** The time of the shop, for instance `09:05`. */
  time: string;
}

/** Pass this as the option `beforeCommit.change`. Then invalid rules are never stored. */
export async function checkRules({ after }: ShippingMethodChange): Promise<void> {
  // While a method inherits its `meta`, `own` has the `meta` that it stores.
  for (const meta of [after?.meta, after?.own.meta]) {
    if (!meta) continue;
    const violations = await validate(plainToInstance(CartRules, meta), {
      whitelist: true,
      forbidNonWhitelisted: true,
    });
    const texts = violations.flatMap(({ constraints }) => Object.values(constraints ?? {}));
    if (texts.length > 0) throw new BadRequestException(texts.map((text) => `meta: ${text}`));
  }
}

export function fits(rules: CartRules, { grams, country, total, time }: Cart): boolean {
  return (
    grams <= (rules.maxGrams ?? Infinity) &&
    (rules.countries ?? [country]).includes(country) &&
    total >= (rules.minTotal ?? 0) &&
    time < (rules.orderBefore ?? '24:00')
  );
}

@Injectable()
export class CartMethods {
  constructor(@Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService) {}

  /** The methods that the cart can be sent with, in the order of the list. */
  async of(projectId: string, cart: Cart): Promise<ShippingMethodDto[]> {
    const active = await this.methods.findActive(projectId);
    return active.filter(({ meta }) => fits(meta as CartRules, cart));
  }
}
