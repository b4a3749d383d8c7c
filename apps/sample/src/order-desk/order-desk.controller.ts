import { Body, Controller, Inject, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { OrderDesk, type PlacedOrder } from './order-desk.service.js';
import { checkPlaceOrder, PlaceOrderRequest } from './place-order.dto.js';

@ApiTags('Order desk')
@Controller('api/projects/:project_id/desk/orders')
export class OrderDeskController {
  constructor(@Inject(OrderDesk) private readonly desk: OrderDesk) {}

  @Post()
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
}
