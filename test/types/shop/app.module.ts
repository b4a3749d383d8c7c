import { Module } from '@nestjs/common';
import { ShippingModule } from 'nestjs-shipping';
import { embeddedTypeOrmModule } from 'nestjs-shipping/testing';
import { Checkout } from './checkout.js';
import { ImportJob } from './import-job.js';
import { CreateOutbox, Outbox, OutboxMessage } from './outbox.js';

@Module({ providers: [Outbox], exports: [Outbox] })
class OutboxModule {}

/** A whole shop: its own tables, and options that come from the environment and from a provider. */
@Module({
  imports: [
    embeddedTypeOrmModule({ entities: [OutboxMessage], migrations: [CreateOutbox] }),
    ShippingModule.forRootAsync({
      isGlobal: true,
      http: false,
      imports: [OutboxModule],
      inject: [Outbox],
      useFactory: (outbox: Outbox) => ({
        defaultsProjectId: process.env['SHOP_DEFAULTS'],
        beforeCommit: { event: (event, manager) => outbox.write(event, manager) },
      }),
    }),
    OutboxModule,
  ],
  providers: [Checkout, ImportJob],
})
export class AppModule {}
