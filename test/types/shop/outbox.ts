import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type OrderEventDto } from 'nestjs-shipping';
import {
  Column,
  DataSource,
  Entity,
  type EntityManager,
  type MigrationInterface,
  PrimaryGeneratedColumn,
  type QueryRunner,
} from 'typeorm';

@Entity({ name: 'outbox' })
export class OutboxMessage {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'jsonb' })
  event!: OrderEventDto;
}

export class CreateOutbox implements MigrationInterface {
  name = 'CreateOutbox1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE outbox (id serial PRIMARY KEY, event jsonb NOT NULL)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE outbox');
  }
}

/** Returns the line that the shop sends to a customer. */
function mailOf(event: OrderEventDto): string | undefined {
  switch (event.type) {
    case 'order.placed':
      return `Order ${event.order_id} over ${event.data.total}, coupon ${event.data.coupon ?? 'none'}`;
    case 'order.paid':
      return `Order ${event.order_id} is paid: ${event.data.amount} ${event.data.currency}`;
    default:
      return undefined;
  }
}

@Injectable()
export class Outbox {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** A hook of the module, in the transaction that records the event. */
  write(event: OrderEventDto, manager: EntityManager): Promise<unknown> {
    return manager.save(OutboxMessage, { event });
  }

  /** @returns the lines that were sent */
  send(): Promise<string[]> {
    return this.dataSource.transaction(async (manager) => {
      const messages = await manager.find(OutboxMessage, { order: { id: 'ASC' } });
      await manager.remove(messages);
      return messages.flatMap(({ event }) => mailOf(event) ?? []);
    });
  }
}
