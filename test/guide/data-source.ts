import { shippingEntities } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { DataSource } from 'typeorm';

export default new DataSource({
  type: 'postgres',
  url: process.env.DATABASE_URL,
  entities: [...shippingEntities, 'dist/**/*.entity.js'],
  migrations: [...shippingMigrations, 'dist/migrations/*.js'],
});
