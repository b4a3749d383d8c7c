import { Controller, Get, Inject } from '@nestjs/common';
import { OrderId, ProjectId } from '../http/parameters.js';
import { type OrderEventDto } from './dto/order-event.dto.js';
import { OrderEvents } from './order-events.service.js';

@Controller()
export class OrderEventsController {
  constructor(@Inject(OrderEvents) private readonly orderEvents: OrderEvents) {}

  /** Returns the whole history at once, because an order has only tens of events. */
  @Get(':order_id/events')
  async events(
    @ProjectId() projectId: string,
    @OrderId() orderId: string,
  ): Promise<{ data: OrderEventDto[] }> {
    return { data: await this.orderEvents.list(projectId, orderId) };
  }
}
