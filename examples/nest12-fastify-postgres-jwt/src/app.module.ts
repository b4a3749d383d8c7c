import { randomBytes } from 'node:crypto';
import { Module, UseGuards } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ShippingModule } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { type TestTypeOrmModuleOptions } from 'nestjs-shipping/testing';
import { type Pool } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { type PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { IdleConnections } from './idle-connections.js';
import { ProjectGuard } from './project.guard.js';

export const options = {
  type: 'postgres',
  url: process.env['DATABASE_URL'] ?? 'postgres://postgres:postgres@127.0.0.1:5432/postgres',
  autoLoadEntities: true,
} satisfies TestTypeOrmModuleOptions;

/** A constant, so that a test can put another database in its place. */
export const database = TypeOrmModule.forRootAsync({
  useFactory: () => ({ ...options, migrations: shippingMigrations, migrationsRun: true }),
  dataSourceFactory: async (all) => {
    const dataSource = await new DataSource(all as DataSourceOptions).initialize();
    surviveEndedConnections(dataSource);
    return dataSource;
  },
});

/** Without this listener, the process ends if PostgreSQL ends a connection just as `pg` opens it. */
function surviveEndedConnections({ driver }: DataSource): void {
  const pool = (driver as PostgresDriver).master as Pool;
  pool.on('connect', (client) => client.on('error', () => undefined));
}

/** Without `JWT_SECRET`, each start makes a new secret. Older tokens are then not valid. */
const tokens = JwtModule.register({ secret: process.env['JWT_SECRET'] || randomBytes(32) });

@Module({
  imports: [
    database,
    // `imports` gives the guard what it needs.
    ShippingModule.forRoot({ imports: [tokens], http: { decorators: [UseGuards(ProjectGuard)] } }),
    tokens,
  ],
  providers: [IdleConnections],
})
export class AppModule {}
