import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestMiddleware,
} from '@nestjs/common';
import {
  OrderEventsService,
  type NewOrderEvent,
  type NewOrderEventActor,
  type RecordedOrderEvent,
  type ShippingMethodChange,
} from 'nestjs-shipping';
import { Column, Entity, type EntityManager, PrimaryGeneratedColumn } from 'typeorm';

/** This is no field of the class, because Nest makes a second instance of the class for the middleware. */
const calls = new AsyncLocalStorage<{ actor?: NewOrderEventActor }>();

/** Knows who makes the call that runs now. */
@Injectable()
export class WhoDidIt implements NestMiddleware {
  get actor(): NewOrderEventActor {
    return calls.getStore()?.actor ?? { type: 'system' };
  }

  /** The middleware opens a context for each request. It has no actor yet. */
  use(_request: unknown, _response: unknown, next: () => void): void {
    calls.run({}, next);
  }

  /** Your guard calls this when it has read the token. */
  is(actor: NewOrderEventActor): void {
    const call = calls.getStore();
    if (call) call.actor = actor;
  }

  /** For jobs and scripts. */
  as<Result>(actor: NewOrderEventActor, work: () => Promise<Result>): Promise<Result> {
    return calls.run({ actor }, work);
  }
}

@Entity({ name: 'method_audit' })
export class MethodAudit {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: 'varchar', length: 255 })
  who!: string;

  @Column({ type: 'json' })
  change!: object;
}

/** Stores each change of a method, with the actor who made it. */
@Injectable()
export class Trail {
  constructor(@Inject(WhoDidIt) private readonly who: WhoDidIt) {}

  /** The option `beforeCommit.change`. */
  async write(change: ShippingMethodChange, manager: EntityManager): Promise<void> {
    const { type, id = '' } = this.who.actor;
    await manager.insert(MethodAudit, { who: `${type} ${id}`.trim(), change });
  }
}

/** Use it in the place of `OrderEventsService.record()`. */
@Injectable()
export class OrderHistory {
  constructor(
    @Inject(OrderEventsService) private readonly events: OrderEventsService,
    @Inject(WhoDidIt) private readonly who: WhoDidIt,
  ) {}

  record(
    projectId: string,
    orderId: string,
    event: Omit<NewOrderEvent, 'actor'>,
    manager: EntityManager,
  ): Promise<RecordedOrderEvent> {
    return this.events.record({ projectId, orderId }, { ...event, actor: this.who.actor }, { manager });
  }
}

/** Replace this with your guard. */
@Injectable()
export class TokenGuard implements CanActivate {
  constructor(@Inject(WhoDidIt) private readonly who: WhoDidIt) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: { authorization?: string } }>();
    const name = /^Bearer token-of-(\w+)$/.exec(headers.authorization ?? '')?.[1];
    if (name) this.who.is({ type: 'user', id: name });
    return Boolean(name);
  }
}
