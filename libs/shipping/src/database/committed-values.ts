import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger } from '@nestjs/common';
import { Observable, type Observer, type Subject, Subscriber, type Subscription } from 'rxjs';

type NextOrObserver<Value> = Partial<Observer<Value>> | ((value: Value) => unknown) | null;

/** Emits what was committed. If a subscriber throws or rejects, its error is logged, and the others still get the value. */
export class CommittedValues<Value> extends Observable<Value> {
  constructor(committed: Subject<Value>) {
    super((subscriber) => {
      // The async context of the COMMIT still holds the transaction, which has ended. A subscriber must not use it.
      const next = AsyncLocalStorage.bind((value: Value) => subscriber.next(value));
      return committed.subscribe(next);
    });
  }

  /** RxJS would throw the error of a subscriber in a timer, which ends the process. */
  override subscribe(nextOrObserver?: NextOrObserver<Value>): Subscription {
    // A pipe subscribes with a Subscriber. RxJS hands its errors on.
    if (nextOrObserver instanceof Subscriber) return super.subscribe(nextOrObserver);
    const observer = typeof nextOrObserver === 'function' ? { next: nextOrObserver } : (nextOrObserver ?? {});
    return super.subscribe({ ...observer, next: (value) => void notify(observer, value) });
  }
}

async function notify<Value>(observer: { next?: (value: Value) => unknown }, value: Value): Promise<void> {
  try {
    await observer.next?.(value);
  } catch (error) {
    new Logger('ShippingModule').error('A subscriber has failed after a commit.', Object(error).stack);
  }
}
