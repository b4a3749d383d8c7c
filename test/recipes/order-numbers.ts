import { Injectable } from '@nestjs/common';
import { Column, Entity, type EntityManager, PrimaryColumn } from 'typeorm';

/** The last number of each shop. Insert the row when the shop opens, for instance with 1000. */
@Entity({ name: 'order_number' })
export class OrderNumber {
  @PrimaryColumn({ name: 'project_id', type: 'varchar', length: 64 })
  projectId!: string;

  @Column({ type: 'integer' })
  last!: number;
}

@Injectable()
export class OrderNumbers {
  /** The id of the next order of a shop. Other orders of the shop wait until the transaction ends. */
  async next(projectId: string, manager: EntityManager): Promise<string> {
    await manager.increment(OrderNumber, { projectId }, 'last', 1);
    const { last } = await manager.findOneByOrFail(OrderNumber, { projectId });
    return String(last);
  }
}
