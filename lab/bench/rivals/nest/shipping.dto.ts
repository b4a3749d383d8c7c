import { Transform, Type } from 'class-transformer';
import {
  IsBoolean,
  IsInt,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';

export class ListQueryDto {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  page = 1;

  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  per_page = 20;

  @IsOptional()
  @IsString()
  q?: string;

  @IsOptional()
  @Transform(({ value }) => value === 'true')
  @IsBoolean()
  'filter[is_active]'?: boolean;
}

export class UpsertShippingMethodDto {
  @IsString()
  @IsNotEmpty()
  @MaxLength(64)
  carrier_code!: string;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  carrier_label?: string;

  @IsString()
  @IsNotEmpty()
  @MaxLength(128)
  method_code!: string;

  @IsString()
  @IsNotEmpty()
  @MaxLength(255)
  method_label!: string;

  @IsOptional()
  @IsBoolean()
  is_active?: boolean;

  @IsOptional()
  @IsInt()
  sort_order?: number;

  @IsOptional()
  @IsObject()
  meta?: Record<string, unknown>;

  @IsOptional()
  @IsString()
  use_default?: string;
}
