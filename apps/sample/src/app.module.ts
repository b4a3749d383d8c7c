import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ShippingModule } from 'nestjs-shipping';
import { type DataSource } from 'typeorm';
import { ConsoleController } from './console.controller.js';
import { HealthController } from './health.controller.js';
import { OrderDeskModule } from './order-desk/order-desk.module.js';

@Module({})
export class AppModule {
  /** @param dataSource open already: what can go wrong with it is told before Nest starts */
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
      ],
      controllers: [ConsoleController, HealthController],
    };
  }
}
