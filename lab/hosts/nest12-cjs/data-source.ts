// The DataSource for the TypeORM CLI. Your host has `type: 'postgres', url: …` in place of the embedded database.
import { shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { embeddedPostgresOptions } from 'nestjs-shipping/testing';
import { DataSource } from 'typeorm';

export const dataSource = embeddedPostgresOptions().then(
  (embedded) =>
    new DataSource({ ...embedded, entities: [...shippingEntities], migrations: [...shippingMigrations] }),
);
