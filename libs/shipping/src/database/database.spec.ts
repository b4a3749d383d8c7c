import { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { Database } from './database.js';

describe('a DataSource that cannot serve us', () => {
  it('is refused at boot, with the remedy', () => {
    const dataSource = new DataSource({ type: 'mysql', driver: {} });

    expect(() => new Database(dataSource, []).onModuleInit()).toThrow(
      'nestjs-shipping needs PostgreSQL, but its DataSource is of type "mysql". Give it a PostgreSQL DataSource',
    );
  });
});
