import { Inject, Injectable } from '@nestjs/common';
import { type ShippingMethodDto } from '../shipping-methods/dto/shipping-method.dto.js';
import { Batcher } from './batcher.js';
import {
  type ChangedMethod,
  type Inserted,
  type MethodKey,
  MethodStore,
  type NewMethod,
  type Replaced,
} from './shipping-storage.js';
import { DatabaseUnavailableError, OutcomeUnknownError } from './storage.errors.js';
import { JoinedTransaction, type Scope } from './transactions.js';

/** Batches the calls outside of transactions: those that come at the same time run in one statement. */
@Injectable()
export class BatchedMethods {
  private readonly finds = {
    id: new Batcher((keys: MethodKey[]) => this.store.find(keys, 'shared')),
    codes: new Batcher((keys: MethodKey[]) => this.store.find(keys, 'shared')),
  };
  private readonly revisions = new Batcher((ids: string[]) => this.store.revisions(ids, 'shared'));
  private readonly inserts = new Batcher((methods: NewMethod[]) =>
    oneOfEach<NewMethod, Inserted>(methods, (each) => this.store.insert(each, 'shared')),
  );
  private readonly replacements = new Batcher((methods: ChangedMethod[]) =>
    oneOfEach<ChangedMethod, Replaced>(methods, (each) => this.store.replace(each, 'shared')),
  );

  constructor(@Inject(MethodStore) private readonly store: MethodStore) {}

  /** @param isForChange as in the store */
  async find(key: MethodKey, scope: Scope, isForChange = false): Promise<ShippingMethodDto | undefined> {
    if (scope instanceof JoinedTransaction) return (await this.store.find([key], scope, isForChange))[0];
    return this.finds['id' in key ? 'id' : 'codes'].join(key);
  }

  async revision(projectId: string, scope: Scope): Promise<string> {
    if (!(scope instanceof JoinedTransaction)) return this.revisions.join(projectId);
    const [revision = ''] = await this.store.revisions([projectId], scope);
    return revision;
  }

  async insert(method: NewMethod, scope: Scope): Promise<Inserted> {
    if (scope === 'shared') return this.inserts.join(method);
    return (await this.store.insert([method], scope))[0] ?? 'lost';
  }

  /** A change of codes may wait for rows of the host's that refer to the method, so it is never batched. */
  async replace(method: ChangedMethod, scope: Scope): Promise<Replaced> {
    if (scope === 'shared') return method.changesCodes ? 'lost' : this.replacements.join(method);
    return (await this.store.replace([method], scope))[0] ?? 'lost';
  }
}

/** Of two changes of one method in a batch, only the last is made. */
async function oneOfEach<Method extends NewMethod, Outcome>(
  methods: readonly Method[],
  write: (methods: readonly Method[]) => Promise<Outcome[]>,
): Promise<(Outcome | 'lost')[]> {
  const last = [...new Map(methods.map((method) => [method.id, method])).values()];
  try {
    const outcomes = await write(last);
    const made = new Map(last.map((method, index) => [method, outcomes[index]]));
    return methods.map((method) => made.get(method) ?? 'lost');
  } catch (error) {
    const isUnavailable = error instanceof DatabaseUnavailableError && !error.contention;
    if (isUnavailable || error instanceof OutcomeUnknownError) throw error;
    // One change failed, perhaps in a trigger of the host's. The others must not fail with it: each is tried alone.
    return methods.map(() => 'lost');
  }
}
