import { getMetadataArgsStorage } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { fieldNames, fieldOf } from './method-fields.js';
import { ShippingMethod } from './shipping-method.table.js';

describe('the table of fields', () => {
  it.each(fieldNames)('agrees with the column %s', (name) => {
    const columns = getMetadataArgsStorage().columns.filter(({ target }) => target === ShippingMethod);

    const options = columns.find((column) => column.options.name === name)?.options;

    const { maxLength, nullable } = fieldOf(name);
    expect([options?.length, options?.nullable]).toEqual([maxLength, nullable]);
  });
});
