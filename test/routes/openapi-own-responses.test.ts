import { Controller, Get, Module, Param } from '@nestjs/common';
import { ApiBadRequestResponse, ApiOkResponse, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type OrderEventPage, OrderEventsService } from 'nestjs-shipping';
import { addShippingToDocument, createShippingDocument } from 'nestjs-shipping/openapi';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { operationsOf, read } from '../support/openapi.js';

@Controller('orders/:order_id/timeline')
class TimelineController {
  constructor(private readonly events: OrderEventsService) {}

  @Get()
  @ApiOkResponse({ description: 'Done.', schema: { $ref: '#/components/schemas/OrderEventPage' } })
  page(@Param('order_id') orderId: string): Promise<OrderEventPage> {
    return this.events.list({ projectId: 'acme', orderId }, { limit: 1 });
  }
}

@Module({ controllers: [TimelineController] })
class TimelineModule {}

describe('the OpenAPI document of a host with responses of its own', () => {
  const host = mounted({
    imports: [TimelineModule],
    shipping: {
      http: { problemDetails: false, decorators: [ApiBadRequestResponse({ description: 'Ours' })] },
    },
  });
  const scan = () =>
    SwaggerModule.createDocument(host.app.nest, new DocumentBuilder().setOpenAPIVersion('3.1.0').build());

  it('has only the errors of the host when its own filters respond to our errors', () => {
    const described = operationsOf(read(addShippingToDocument(scan(), { problemDetails: false }))).filter(
      ([route]) => route.includes('/sales/'),
    );

    expect(described).toHaveLength(6);
    for (const [, { responses }] of described) {
      const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      expect(errors).toEqual([['400', expect.objectContaining({ description: 'Ours' })]]);
    }
    expect(described[0]?.[1].responses).toHaveProperty(['201', 'content', 'application/json']);
  });

  it('describes a page of events for a route of the host, and only if there is one', async () => {
    const { components } = addShippingToDocument(scan());
    const isPage = new Ajv2020({ strict: false, validateFormats: false }).compile({
      $ref: '#/components/schemas/OrderEventPage',
      components,
    });
    for (const type of ['order.placed', 'note.added'])
      await host.events.record({ projectId: 'acme', orderId: '7' }, { type });
    const get = async (): Promise<unknown> => (await fetch(`${host.app.origin}/orders/7/timeline`)).json();

    expect(await get()).toMatchObject({ data: [{ type: 'order.placed' }], next: expect.any(String) });
    expect([isPage(await get()), isPage.errors]).toEqual([true, null]);
    expect(isPage({ data: [], next: null })).toBe(true);
    expect(isPage({ data: [] })).toBe(false);
    expect(createShippingDocument().components?.schemas).not.toHaveProperty('OrderEventPage');
  });
});
