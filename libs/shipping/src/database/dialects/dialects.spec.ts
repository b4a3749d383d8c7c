import { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { dialectOf } from './dialects.js';

describe('a DataSource for an engine that we do not know', () => {
  it('is refused at boot, with the remedy', () => {
    const dataSource = new DataSource({ type: 'mssql', driver: {} });

    expect(() => dialectOf(dataSource)).toThrow(
      /knows the DataSource types postgres.*of type "mssql".*ShippingModule\.forRoot\(\{ dataSource: 'name' \}\)/,
    );
  });
});
