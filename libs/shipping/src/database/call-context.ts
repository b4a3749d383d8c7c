import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Tells code in which call of ours it runs. Before Node 24, an `AsyncLocalStorage` that is enabled makes each promise of
 * the process slower: a warm list takes a quarter longer. So it is enabled only while calls run.
 */
export class CallContext<Call> {
  private readonly storage = new AsyncLocalStorage<Call>();
  private running = 0;

  get(): Call | undefined {
    // From Node 24 on, what a call has left behind still has its store.
    return this.running > 0 ? this.storage.getStore() : undefined;
  }

  async run<Result>(call: Call, work: () => Promise<Result>): Promise<Result> {
    this.running++;
    try {
      return await this.storage.run(call, work);
    } finally {
      if (--this.running === 0) this.storage.disable();
    }
  }
}
