import { type ShippingMethodDto } from '../../shipping-methods/dto/shipping-method.dto.js';
import {
  type ShippingMethodPatch,
  type UpsertShippingMethodRequest,
} from '../../shipping-methods/dto/upsert-shipping-method.dto.js';
import * as api from './api.js';
import { requestOf } from './method.js';
import { plural, t } from './settings.js';
import { clearErrors, notify } from './status.js';

/** The API returns this for a change. It is `{}` if a method was removed. */
type Saved = Partial<ShippingMethodDto>;

/** A request of a change. It knows the request that takes it back. */
interface ChangeRequest {
  send(): Promise<Saved>;
  undo(saved: Saved): ChangeRequest;
  /** An update has these two. */
  method?: ShippingMethodDto;
  changes?: ShippingMethodPatch;
}

export const updateOf = (method: ShippingMethodDto, changes: ShippingMethodPatch): ChangeRequest => ({
  send: () => api.update(method, changes),
  undo: (saved: ShippingMethodDto) => restorationOf(saved, method),
  method,
  changes,
});
export const creationOf = (request: UpsertShippingMethodRequest): ChangeRequest => ({
  send: () => api.create(request),
  undo: removalOf,
});
export const removalOf = (method: ShippingMethodDto): ChangeRequest => ({
  send: () => api.remove(method),
  undo: () => creationOf(requestOf(method)),
});
/** Stores a method as it was before. The etag in it refuses that if somebody else has changed the method since. */
export const restorationOf = (saved: ShippingMethodDto, before: ShippingMethodDto): ChangeRequest =>
  updateOf(saved, requestOf(before));

interface Options {
  isUndone?: boolean;
  /** The id of the method that these requests move by a step. */
  moved?: string | undefined;
  /** The function takes a change back. The user may call it again after an outage. */
  again?: () => unknown;
  isError?: boolean;
  success?: string | undefined;
  last?: Saved | undefined;
}

/** Changes of the list run one after another, because a user may press keys faster than the server responds. */
export class Changes {
  private last: Promise<unknown> = Promise.resolve();
  /** The number of changes of which requests may still have to be sent. */
  private waiting = 0;
  /** Set if the last change was a step of a move: of which method, and what takes all of its steps back. */
  private moves: { id: string; undo: readonly ChangeRequest[]; success: string | undefined } | undefined;

  /** @param load shows the list as it is now. It gets the methods that have been saved. */
  constructor(private readonly load: (saved: readonly Saved[]) => Promise<void>) {
    // The changes that wait would be lost. If the user stays, the page must work.
    addEventListener('beforeunload', (event) => {
      if (this.waiting === 0) return;
      event.preventDefault();
      document.querySelector<HTMLElement>('#page')?.removeAttribute('inert');
    });
  }

  /**
   * Runs a function after the changes before it, even if one of them has thrown. The function may read the list, which
   * then has these changes.
   */
  queue<Result>(act: () => Promise<Result>): Promise<Result> {
    clearErrors();
    this.waiting++;
    const run = this.last.then(act, act).finally(() => this.waiting--);
    this.last = run;
    return run;
  }

  /** @param decide returns the requests of a change */
  add(decide: () => readonly ChangeRequest[], success: string | undefined): Promise<boolean> {
    return this.queue(() => this.run(decide(), success));
  }

  /** @returns whether all requests have succeeded */
  async run(
    requests: readonly ChangeRequest[],
    success: string | undefined,
    { isUndone = false, moved, again }: Options = {},
  ): Promise<boolean> {
    if (requests.length === 0) return true;
    const steps = moved && this.moves?.id === moved ? this.moves.undo : [];
    const earlier = isContinued(steps, requests) ? steps : [];
    this.moves = undefined;
    const saved: Saved[] = [];
    const undo: ChangeRequest[] = [];
    let problem: api.Problem | undefined;
    try {
      for (const request of requests) {
        const progress = { done: saved.length, count: requests.length };
        notify(saved.length > 0 ? t('saving_many', progress) : t('saving'), { isBusy: true });
        const result = await request.send();
        saved.push(result);
        undo.unshift(request.undo(result));
      }
    } catch (error) {
      problem = error as api.Problem;
    }
    if (!problem) {
      const undoAll = together(undo, earlier);
      this.report(success, undoAll, { isUndone, last: saved.at(-1), moved });
      this.moves = moved ? { id: moved, undo: undoAll, success } : undefined;
    } else if (saved.length === 0) {
      const mayTryAgain = problem.isOutage ? again : undefined;
      notify(failureOf(problem), { isError: true, isUndone: !isUndone, undo: mayTryAgain });
    } else {
      const stopped = t('stopped', { done: saved.length, count: requests.length });
      this.report(`${stopped} ${reasonOf(problem)}`, undo, { isError: true, success });
    }
    // Nothing is lost if the user leaves the page now.
    this.waiting--;
    await this.load(saved);
    this.waiting++;
    // The button that has taken the change back is gone. Its row follows.
    if (document.activeElement?.id === 'methods')
      document.querySelector<HTMLElement>(`[data-id='${saved[0]?.id}'] .name`)?.focus();
    return !problem;
  }

  /** Tells what has happened, and offers to take it back. */
  report(
    text: string | undefined,
    undo: readonly ChangeRequest[],
    { isError = false, isUndone = false, success = text, last, moved }: Options = {},
  ): void {
    this.moves = undefined;
    let all = { undo, success };
    const takeBack = (): Promise<boolean> =>
      this.queue(() => {
        // Further steps may have waited.
        if (moved && this.moves?.id === moved) all = this.moves;
        return this.run(all.undo, all.success, { isUndone: !isUndone, again: takeBack });
      });
    const undone = (): string | undefined =>
      plural(last?.id ? 'undone' : 'undone_adding', undo.length, { label: last?.method_label });
    notify(isUndone ? undone() : text, { isError, isUndone, undo: takeBack });
  }
}

/** Undo must not take back what somebody else has changed between two steps. */
function isContinued(earlier: readonly ChangeRequest[], requests: readonly ChangeRequest[]): boolean {
  const etags = new Map(earlier.map(({ method }) => [method?.id, method?.etag]));
  return requests.every(({ method }) => !etags.has(method?.id) || etags.get(method?.id) === method?.etag);
}

/** A key that is pressed several times moves a method in several steps, which are taken back together. */
function together(undo: readonly ChangeRequest[], earlier: readonly ChangeRequest[]): ChangeRequest[] {
  const first = new Map(earlier.map(({ method, changes }) => [method?.id, changes]));
  const ids = new Set(undo.map(({ method }) => method?.id));
  const all = undo.map((request) => {
    const changes = first.get(request.method?.id);
    return request.method && changes ? updateOf(request.method, changes) : request;
  });
  return [...all, ...earlier.filter(({ method }) => !ids.has(method?.id))];
}

const isConflict = ({ code }: api.Problem): boolean => code === 'version_mismatch';
const reasonOf = (problem: api.Problem): string | undefined =>
  isConflict(problem) ? t('list_conflict') : api.reasonOf(problem);
/** Returns what the user reads about a change of which nothing was saved. */
export const failureOf = (problem: api.Problem): string | undefined =>
  isConflict(problem) ? t('not_saved', { reason: t('list_conflict') }) : api.failureOf(problem);
