import { Controller, Get, Inject, Param, Query, UseFilters } from '@nestjs/common';
import { type OrderEventPage, OrderEventsService, ProblemDetailsFilter } from 'nestjs-shipping';

// A route of a host for the pages of a history.

@Controller('shops/:shop/orders/:order_id/timeline')
@UseFilters(ProblemDetailsFilter)
export class TimelineController {
  constructor(@Inject(OrderEventsService) private readonly events: OrderEventsService) {}

  @Get()
  read(
    @Param('shop') shop: string,
    @Param('order_id') orderId: string,
    @Query() { limit, types, cursor }: Readonly<Record<string, string | string[] | undefined>>,
  ): Promise<OrderEventPage> {
    return this.events.list(
      { projectId: shop, orderId },
      {
        newestFirst: true,
        limit: limit ? Number(limit) : undefined,
        types: types ? String(types).split(',') : undefined,
        cursor: cursor ? String(cursor) : undefined,
      },
    );
  }
}
