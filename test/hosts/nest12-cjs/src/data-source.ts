// What the TypeORM CLI is given. A host of yours has `type: 'postgres', url: …` where this one has the embedded one.
import { shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { embeddedPostgres } from 'nestjs-shipping/testing';
import { DataSource } from 'typeorm';

export const dataSource = embeddedPostgres().then(
  (embedded) =>
    new DataSource({ ...embedded, entities: [...shippingEntities], migrations: [...shippingMigrations] }),
);
