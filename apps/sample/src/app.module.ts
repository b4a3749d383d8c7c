import { type DynamicModule, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ShippingModule } from 'nestjs-shipping';
import { type DataSource } from 'typeorm';
import { HealthController } from './health.controller.js';
import { OrderDeskModule } from './order-desk/order-desk.module.js';

@Module({})
export class AppModule {
  /** @param dataSource must be open, so that its errors are reported before Nest starts; Nest closes it */
  static on(dataSource: DataSource): DynamicModule {
    return {
      module: AppModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => dataSource.options,
          dataSourceFactory: () => Promise.resolve(dataSource),
        }),
        ShippingModule.forRoot({ isGlobal: true }),
        OrderDeskModule,
        TerminusModule.forRoot({ logger: false }),
      ],
      controllers: [HealthController],
    };
  }
}
