// A list with nestjs-paginate, a library that Nest teams use for lists. It runs on Nest and Express, as in its README.
import 'reflect-metadata';
import { Controller, Get, Module, Param } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Paginate, paginate, type PaginateQuery } from 'nestjs-paginate';
import { Repository } from 'typeorm';
import { listen, typeOrm } from './host.js';
import { ShippingMethod } from './shipping-method.entity.js';

@Controller('api/projects/:project_id/sales/orders')
class ShippingController {
  constructor(@InjectRepository(ShippingMethod) private readonly methods: Repository<ShippingMethod>) {}

  @Get('shipments/methods')
  list(@Param('project_id') project_id: string, @Paginate() query: PaginateQuery) {
    return paginate(query, this.methods, {
      where: { project_id },
      sortableColumns: ['sort_order', 'carrier_code', 'method_code'],
      defaultSortBy: [
        ['sort_order', 'ASC'],
        ['carrier_code', 'ASC'],
        ['method_code', 'ASC'],
      ],
      defaultLimit: 20,
      maxLimit: 100,
    });
  }
}

@Module({
  imports: [typeOrm([ShippingMethod]), TypeOrmModule.forFeature([ShippingMethod])],
  controllers: [ShippingController],
})
class AppModule {}

await listen(await NestFactory.create(AppModule, { logger: ['error'] }));
