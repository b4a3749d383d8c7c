// This is what a team writes by hand: Nest on Express (or on Fastify, with ADAPTER=fastify), entities of TypeORM, DTOs
// of class-validator, and a global ValidationPipe.
import 'reflect-metadata';
import {
  Body,
  Controller,
  Get,
  Module,
  NotFoundException,
  Param,
  Patch,
  Post,
  Query,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { ILike, Repository } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { listen, typeOrm } from './host.js';
import { OrderEvent } from './order-event.entity.js';
import { ListQueryDto, UpsertShippingMethodDto } from './shipping.dto.js';
import { ShippingMethod } from './shipping-method.entity.js';

const order = { sort_order: 'ASC', carrier_code: 'ASC', method_code: 'ASC' } as const;

@Controller('api/projects/:project_id/sales/orders')
class ShippingController {
  constructor(
    @InjectRepository(ShippingMethod) private readonly methods: Repository<ShippingMethod>,
    @InjectRepository(OrderEvent) private readonly history: Repository<OrderEvent>,
  ) {}

  @Get('shipments/methods')
  async list(@Param('project_id') project_id: string, @Query() query: ListQueryDto) {
    const { page, per_page, q, 'filter[is_active]': is_active } = query;
    const filtered = { project_id, ...(is_active !== undefined && { is_active }) };
    const texts = ['carrier_code', 'carrier_label', 'method_code', 'method_label'] as const;
    const [data, total] = await this.methods.findAndCount({
      where: q ? texts.map((name) => ({ ...filtered, [name]: ILike(`%${q}%`) })) : filtered,
      order,
      skip: (page - 1) * per_page,
      take: per_page,
    });
    return { data, meta: { page, per_page, total, total_pages: Math.ceil(total / per_page) } };
  }

  @Get('shipments/methods/tree')
  async tree(@Param('project_id') project_id: string) {
    const methods = await this.methods.find({ where: { project_id }, order });
    const data = [...new Set(methods.map(({ carrier_code }) => carrier_code))].map((carrier_code) => {
      const ofCarrier = methods.filter((method) => method.carrier_code === carrier_code);
      return {
        carrier_code,
        carrier_label:
          ofCarrier.find(({ carrier_label }) => carrier_label !== null)?.carrier_label ?? carrier_code,
        is_active: ofCarrier.some(({ is_active }) => is_active),
        sort_order: ofCarrier[0]?.sort_order,
        methods: ofCarrier,
      };
    });
    return { data };
  }

  @Get(':order_id/events')
  async events(@Param('project_id') project_id: string, @Param('order_id') order_id: string) {
    const data = await this.history.find({
      where: { project_id, order_id },
      order: { occurred_at: 'ASC', seq: 'ASC' },
    });
    return { data };
  }

  @Post('shipments/methods')
  async create(@Param('project_id') project_id: string, @Body() body: UpsertShippingMethodDto) {
    return this.methods.save(this.methods.create({ ...body, id: uuid(), project_id }));
  }

  @Patch('shipments/methods/:id')
  async update(
    @Param('project_id') project_id: string,
    @Param('id') id: string,
    @Body() body: UpsertShippingMethodDto,
  ) {
    const method = await this.methods.findOneBy({ project_id, id });
    if (!method) throw new NotFoundException();
    return this.methods.save(this.methods.merge(method, body));
  }
}

const entities = [ShippingMethod, OrderEvent];

@Module({
  imports: [typeOrm(entities), TypeOrmModule.forFeature(entities)],
  controllers: [ShippingController],
})
class AppModule {}

const adapter = process.env['ADAPTER'] === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
const app = await NestFactory.create(AppModule, adapter, { logger: ['error'] });
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
await listen(app);
