import { type CanActivate, type ExecutionContext, Module, UseGuards } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ShippingModule } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';

/** In a constant, so that tests can put another database in its place. */
export const database = TypeOrmModule.forRoot({
  type: 'postgres',
  url: process.env.DATABASE_URL,
  autoLoadEntities: true,
  migrations: shippingMigrations,
  migrationsRun: true,
});

/** One key for everything, until you put your own guard in its place. */
class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, unknown> }>();
    const key = process.env.SHIPPING_KEY;
    return Boolean(key) && headers.authorization === `Bearer ${key}`;
  }
}

const shipping = ShippingModule.forRoot({ isGlobal: true, http: { decorators: [UseGuards(KeyGuard)] } });

@Module({ imports: [database, shipping] })
export class AppModule {}
