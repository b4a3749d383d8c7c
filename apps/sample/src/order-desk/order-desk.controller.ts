import { Body, Controller, Get, Headers, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  type OrderEventPage,
  orderEventTypes,
  type RecordedOrderEvent,
  ShippingMethods,
} from 'nestjs-shipping';
import { OrderDesk, type PlacedOrder } from './order-desk.service.js';
import { checkKey, checkNote, NoteRequest, pageQueryOf } from './order-history.dto.js';
import { checkPlaceOrder, PlaceOrderRequest } from './place-order.dto.js';

const project = { name: 'project_id', schema: { type: 'string', example: 'demo' } } as const;
const order = { name: 'order_id', schema: { type: 'string', example: '1001' } } as const;
const key = {
  name: 'idempotency-key',
  required: false,
  description:
    'The client makes one key for each form. A repeat with the same key changes nothing, and gets the first answer.',
} as const;

@ApiTags('Order desk')
@Controller('api/projects/:project_id/desk')
export class OrderDeskController {
  constructor(
    @Inject(OrderDesk) private readonly desk: OrderDesk,
    @Inject(ShippingMethods) private readonly methods: ShippingMethods,
  ) {}

  @Post('orders')
  @ApiOperation({
    operationId: 'placeOrder',
    summary: 'Place an order with one of the shipping methods',
    description: 'The order and its first events are stored in one transaction.',
  })
  @ApiParam(project)
  @ApiHeader(key)
  @ApiBody({ type: PlaceOrderRequest })
  @ApiResponse({
    status: 201,
    description: 'The order is placed. Its history has the events order.placed and shipping.selected.',
  })
  @ApiResponse({ status: 400, description: 'A problem: the body or the path has violations.' })
  @ApiResponse({ status: 404, description: 'A problem, `method_not_found`.' })
  @ApiResponse({ status: 409, description: 'A problem, `method_inactive` or `order_exists`.' })
  place(
    @Param('project_id') projectId: string,
    @Headers('idempotency-key') sentKey: string | undefined,
    @Body() body: unknown,
  ): Promise<PlacedOrder> {
    return this.desk.place(projectId, checkPlaceOrder(body), checkKey(sentKey));
  }

  @Get('orders/:order_id/events')
  @ApiOperation({ operationId: 'pageOrderEvents', summary: 'Read one page of the history of an order' })
  @ApiParam(project)
  @ApiParam(order)
  @ApiQuery({ name: 'limit', required: false, schema: { type: 'integer', minimum: 1, maximum: 200 } })
  @ApiQuery({ name: 'types', required: false, schema: { type: 'array', items: { type: 'string' } } })
  @ApiQuery({ name: 'newestFirst', required: false, schema: { type: 'boolean', default: false } })
  @ApiQuery({ name: 'cursor', required: false, schema: { type: 'string' } })
  @ApiResponse({ status: 200, description: 'The events, and `next`, the cursor of the page that follows.' })
  @ApiResponse({ status: 400, description: 'A problem: the path or the query has violations.' })
  history(
    @Param('project_id') projectId: string,
    @Param('order_id') orderId: string,
    @Query() query: Record<string, unknown>,
  ): Promise<OrderEventPage> {
    return this.desk.history(projectId, orderId, pageQueryOf(query));
  }

  @Post('orders/:order_id/notes')
  @ApiOperation({ operationId: 'addNote', summary: 'Write a note into the history of an order' })
  @ApiParam(project)
  @ApiParam(order)
  @ApiHeader(key)
  @ApiBody({ type: NoteRequest })
  @ApiResponse({ status: 201, description: 'The event `note.added`.' })
  @ApiResponse({ status: 400, description: 'A problem: the body, the path or the key has violations.' })
  async note(
    @Param('project_id') projectId: string,
    @Param('order_id') orderId: string,
    @Headers('idempotency-key') sentKey: string | undefined,
    @Body() body: unknown,
  ): Promise<Omit<RecordedOrderEvent, 'repeated'>> {
    const { repeated: _, ...event } = await this.desk.note(
      projectId,
      orderId,
      checkNote(body),
      checkKey(sentKey),
    );
    return event;
  }

  @Get('event-types')
  @ApiOperation({ operationId: 'listEventTypes', summary: 'List the known kinds of events' })
  @ApiParam(project)
  @ApiResponse({ status: 200, description: 'The kinds, under `data`. A history may have other kinds.' })
  eventTypes(): { data: readonly string[] } {
    return { data: orderEventTypes };
  }

  @Post('defaults')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'adoptDefaults',
    summary: 'Give a new project the methods of the project `default`',
  })
  @ApiParam({ name: 'project_id', schema: { type: 'string', example: 'acme' } })
  @ApiResponse({
    status: 204,
    description: 'The project has all of them. The methods that it had before are unchanged.',
  })
  async adopt(@Param('project_id') projectId: string): Promise<void> {
    await this.methods.adoptDefaults(projectId);
  }
}
