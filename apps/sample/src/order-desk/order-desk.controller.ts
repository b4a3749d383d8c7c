import { Body, Controller, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ShippingMethods } from 'nestjs-shipping';
import { OrderDesk, type PlacedOrder } from './order-desk.service.js';
import { checkPlaceOrder, PlaceOrderRequest } from './place-order.dto.js';

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
    description: 'The order and its first events are one transaction.',
  })
  @ApiParam({ name: 'project_id', schema: { type: 'string', example: 'demo' } })
  @ApiBody({ type: PlaceOrderRequest })
  @ApiResponse({ status: 201, description: 'Placed; its history has order.placed and shipping.selected.' })
  @ApiResponse({ status: 400, description: 'A problem: the body or the path has violations.' })
  @ApiResponse({ status: 404, description: 'A problem, `method_not_found`.' })
  @ApiResponse({ status: 409, description: 'A problem, `method_inactive` or `order_exists`.' })
  place(@Param('project_id') projectId: string, @Body() body: unknown): Promise<PlacedOrder> {
    return this.desk.place(projectId, checkPlaceOrder(body));
  }

  @Post('defaults')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'adoptDefaults',
    summary: 'Give a new project the methods of the project `default`',
  })
  @ApiParam({ name: 'project_id', schema: { type: 'string', example: 'acme' } })
  @ApiResponse({ status: 204, description: 'The project has all of them; those that it had are unchanged.' })
  async adopt(@Param('project_id') projectId: string): Promise<void> {
    await this.methods.adoptDefaults(projectId);
  }
}
