import { Body, Controller, Get, Inject, Param, Post, Query, ValidationPipe } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsObject, IsOptional, IsString } from 'class-validator';
import {
  OrderEventsService,
  ShippingMethodsService,
  ShippingModule,
  type UpsertShippingMethodRequest,
} from 'nestjs-shipping';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, freshProject } from '../support/client.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, type Host, listening, typeOrm } from './host.js';
import { MessageFilter, wrapping } from './hostile-host.js';

@Controller('shops/:shop/methods')
class ShopMethodsController {
  constructor(@Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService) {}

  @Get()
  async list(@Param('shop') shop: string, @Query('search') q?: string) {
    const { data, meta } = await this.methods.list(shop, { q });
    return { methods: data, total: meta.total };
  }

  @Post()
  create(@Param('shop') shop: string, @Body() body: UpsertShippingMethodRequest) {
    return this.methods.create(shop, body);
  }
}

class PagedQuery {
  @IsOptional() @IsInt() @Type(() => Number) page?: number;
}

class EventsQuery {
  @IsOptional() @IsInt() @Type(() => Number) limit?: number;
}

class NewActor {
  @IsIn(['customer', 'user']) type!: 'customer' | 'user';
}

class NewEvent {
  @IsString() type!: string;
  @IsObject() @Type(() => NewActor) actor!: NewActor;
}

class NewMethod {
  @IsString() carrier_code!: string;
  @IsString() method_code!: string;
  @IsString() method_label!: string;
}

/** The classes of the host, as its pipe makes instances of them. */
@Controller('shops/:shop/classes')
class ClassesController {
  constructor(
    @Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService,
    @Inject(OrderEventsService) private readonly events: OrderEventsService,
  ) {}

  @Get('methods')
  list(@Param('shop') shop: string, @Query() query: PagedQuery) {
    return this.methods.list(shop, query);
  }

  @Post('methods')
  create(@Param('shop') shop: string, @Body() body: NewMethod) {
    return this.methods.create(shop, body);
  }

  @Get('events')
  page(@Param('shop') shop: string, @Query() query: EventsQuery) {
    return this.events.list({ projectId: shop, orderId: '1001' }, query);
  }

  @Post('events')
  record(@Param('shop') projectId: string, @Body() { type, actor }: NewEvent) {
    return this.events.record({ projectId, orderId: '1001' }, { type, actor });
  }
}

describe('a host that mounts its own controllers over the services', () => {
  let database: TestDatabase;
  let host: Host;
  beforeAll(async () => {
    database = await testDatabase();
    const testing = await compiled([typeOrm(database), ShippingModule.forRoot({ http: false })], {
      controllers: [ShopMethodsController, ClassesController],
    });
    host = await listening(testing, (app) =>
      app
        .useGlobalFilters(new MessageFilter())
        .useGlobalInterceptors(wrapping)
        .useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true })),
    );
  });
  afterAll(async () => {
    await host?.app.close();
    await database?.close();
  });

  it('responds and refuses in its own envelope', async () => {
    const shop = new Client(host.origin, freshProject());
    const path = `/shops/${shop.project}/methods`;
    const ground = { carrier_code: 'ups', method_code: '03', method_label: 'Ground', meta: { a: 1 } };

    const created = await shop.send('POST', path, ground);
    const refused = await shop.send('POST', path, { ...ground, carrier_code: undefined });
    const found = await shop.send('GET', `${path}?search=gro`);
    const missed = await shop.send('GET', `${path}?search=air`);

    expect([created.status, created.body]).toMatchObject([201, { data: ground }]);
    expect([refused.status, refused.body]).toEqual([400, { message: ['carrier_code is required.'] }]);
    expect(found.body).toMatchObject({ data: { methods: [ground], total: 1 } });
    expect(missed.body).toEqual({ data: { methods: [], total: 0 } });
  });

  it('leaves a body with the type of a request to the service, which stores all of its meta', async () => {
    const shop = new Client(host.origin, freshProject());
    const path = `/shops/${shop.project}/methods`;
    const meta = { a: [1, { b: null }], type: 'x', text: 'é' };
    const ground = { carrier_code: 'ups', method_code: '03', method_label: ' Ground ', meta };

    const created = await shop.send('POST', path, ground);
    const refused = await shop.send('POST', path, { ...ground, meta: [1] });

    expect([created.status, created.body]).toMatchObject([201, { data: { meta, method_label: 'Ground' } }]);
    expect([refused.status, refused.body]).toEqual([400, { message: ['/meta must be a JSON object.'] }]);
  });

  it('can pass on instances of its own classes, as its pipe makes them', async () => {
    const shop = new Client(host.origin, freshProject());
    const path = `/shops/${shop.project}/classes`;
    const ground = { carrier_code: 'ups', method_code: '03', method_label: 'Ground' };
    const placed = { type: 'order.placed', actor: { type: 'customer' } };

    const created = await shop.send('POST', `${path}/methods`, ground);
    const recorded = await shop.send('POST', `${path}/events`, placed);
    const list = await shop.send('GET', `${path}/methods?page=1`);
    const page = await shop.send('GET', `${path}/events?limit=5`);

    expect([created.status, created.body]).toMatchObject([201, { data: ground }]);
    expect([recorded.status, recorded.body]).toMatchObject([201, { data: placed }]);
    expect(list.body).toMatchObject({ data: { data: [ground] } });
    expect(page.body).toMatchObject({ data: { data: [placed], next: null } });
  });
});
