import { Injectable, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OrderEventsService, ShippingModule } from 'nestjs-shipping';
import { embeddedTypeOrmModule } from 'nestjs-shipping/testing';

const ofShop = ShippingModule.forRoot();
const ofWarehouse = ShippingModule.forRoot({
  dataSource: 'warehouse',
  http: { path: 'warehouse/:project_id' },
});

@Injectable()
export class Shop {
  constructor(readonly events: OrderEventsService) {}
}

@Injectable()
export class Warehouse {
  constructor(readonly events: OrderEventsService) {}
}

@Module({ imports: [ofShop], providers: [Shop] })
class ShopModule {}

@Module({ imports: [ofWarehouse], providers: [Warehouse] })
class WarehouseModule {}

@Module({
  imports: [
    embeddedTypeOrmModule(),
    TypeOrmModule.forRoot({
      name: 'warehouse',
      type: 'mariadb',
      url: process.env['DATABASE_URL'],
      charset: 'utf8mb4',
      timezone: 'Z',
      autoLoadEntities: true,
      synchronize: true,
    }),
    ShopModule,
    WarehouseModule,
  ],
})
export class AppModule {}
