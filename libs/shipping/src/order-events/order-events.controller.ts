import { Readable } from 'node:stream';
import { Get, Inject, Req, StreamableFile } from '@nestjs/common';
import { type HttpRequest } from '../http/request.js';
import { OrderEvents } from './order-events.service.js';

export class OrderEventsController {
  constructor(@Inject(OrderEvents) private readonly orderEvents: OrderEvents) {}

  /** However long the history is, the process holds one batch of it at a time. */
  @Get(':order_id/events')
  async events(@Req() { params }: HttpRequest): Promise<StreamableFile> {
    const batches = this.orderEvents.batches(params['project_id'] ?? '', params['order_id'] ?? '');
    // The first batch before the status line: what is refused, is refused as a problem.
    const first = await batches.next();
    const file = new StreamableFile(Readable.from(jsonOf(first, batches)), {
      type: 'application/json; charset=utf-8',
    });
    // The status is sent: all that is left is to break the connection, never to end it as if it were whole.
    return file.setErrorHandler((error, response) => response.destroy?.(error));
  }
}

async function* jsonOf(
  first: IteratorResult<string[], void>,
  batches: AsyncGenerator<string[], void>,
): AsyncGenerator<string> {
  yield '{"data":[';
  let separator = '';
  for (let batch = first; !batch.done; batch = await batches.next()) {
    yield separator + batch.value.join(',');
    separator = ',';
  }
  yield ']}';
}
