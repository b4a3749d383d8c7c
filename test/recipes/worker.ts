import { Inject, Injectable, Module } from '@nestjs/common';
import { OrderEventsService, ShippingHttpError, ShippingModule } from 'nestjs-shipping';
import { database } from '../guide/app.module.js';

// docs/recipes/workers.md shows this code.

export interface DispatchJob {
  projectId: string;
  orderId: string;
  parcel: string;
}

/** Ends a job that can never succeed. With BullMQ, import this class from `bullmq` instead. */
export class UnrecoverableError extends Error {}

/** With BullMQ, this is `@Processor('dispatch') class Dispatch extends WorkerHost`, whose constructor calls `super()`. */
@Injectable()
export class Dispatch {
  constructor(@Inject(OrderEventsService) private readonly events: OrderEventsService) {}

  /** A queue may run a job twice. The `dedupe_key` makes it idempotent: there is one event for each parcel. */
  async process({ data }: { data: DispatchJob | null }): Promise<void> {
    // Otherwise all such jobs would have the same key, and only the first one would be recorded.
    if (typeof data?.parcel !== 'string' || data.parcel === '')
      throw new UnrecoverableError('The job has no parcel.');
    const { projectId, orderId, parcel } = data;
    const event = {
      type: 'shipment.dispatched',
      data: { parcel },
      dedupe_key: `dispatched-${parcel}`,
    } as const;
    await this.events.record({ projectId, orderId }, event).catch((error: unknown) => {
      const isRefused = error instanceof ShippingHttpError && error.getStatus() < 500;
      throw isRefused ? new UnrecoverableError(error.message) : error;
    });
  }
}

@Module({
  imports: [database, ShippingModule.forRoot({ isGlobal: true, http: false })],
  providers: [Dispatch],
})
export class WorkerModule {}
