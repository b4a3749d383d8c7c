import { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { engineOf } from './engine.js';

describe('a DataSource for an engine that we do not know', () => {
  it('is refused at boot, with the remedy', () => {
    const dataSource = new DataSource({ type: 'mssql', driver: {} });

    expect(() => engineOf(dataSource)).toThrow(
      /knows the DataSource types postgres.*of type "mssql".*ShippingModule\.forRoot\(\{ dataSource: 'name' \}\)/,
    );
  });
});
