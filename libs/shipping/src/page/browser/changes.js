import * as api from './api.js';
import { requestOf } from './method.js';
import { plural, t } from './settings.js';
import { clearErrors, notify } from './status.js';

// Each request of a change knows the request that takes it back.
export const updating = (method, changes) => ({
  send: () => api.update(method, changes),
  undo: (saved) => restoring(saved, method),
});
export const creating = (request) => ({ send: () => api.create(request), undo: removing });
export const removing = (method) => ({ send: () => api.remove(method), undo: () => creating(requestOf(method)) });
/** Stores a method as it was before. The etag in it refuses that if somebody else has changed the method since. */
export const restoring = (saved, before) => updating(saved, requestOf(before));

/** Changes of the list run one after another, because a user may press keys faster than the server responds. */
export class Changes {
  last = Promise.resolve();

  /** @param load shows the list as it is now. It gets the methods that have been saved. */
  constructor(load) {
    this.load = load;
  }

  /**
   * Runs a function after the changes before it, even if one of them has thrown. The function may read the list, which
   * then has these changes.
   */
  queue = (act) => {
    clearErrors();
    return (this.last = this.last.then(act, act));
  };

  /** @param decide returns the requests of a change */
  add = (decide, success) => this.queue(() => this.run(decide(), success));

  /** @returns whether all requests have succeeded */
  async run(requests, success, isUndone = false) {
    if (requests.length === 0) return true;
    const done = [];
    const all = [];
    let problem;
    for (const [index, { send, undo }] of requests.entries()) {
      notify(index > 0 ? t('saving_many', { done: index, count: requests.length }) : t('saving'), { isBusy: true });
      const saved = await send().catch((error) => void (problem = error));
      if (problem) break;
      all.push(saved);
      done.unshift(undo(saved));
    }
    if (!problem) this.report(success, done, { isUndone, last: all.at(-1) });
    else if (done.length === 0) notify(failureOf(problem), { isError: true });
    else
      this.report(`${t('stopped', { done: done.length, count: requests.length })} ${reasonOf(problem)}`, done, {
        isError: true,
        success,
      });
    await this.load(all);
    // The button that has taken the change back is gone. Its row follows.
    if (document.activeElement.id === 'methods') document.querySelector(`[data-id='${all[0]?.id}'] .name`)?.focus();
    return !problem;
  }

  /** Tells what has happened, and offers to take it back. */
  report = (text, undo, { isError = false, isUndone = false, success = text, last } = {}) => {
    const takeBack = () => this.queue(() => this.run(undo, success, !isUndone));
    const undone = () => plural(last.id ? 'undone' : 'undone_adding', undo.length, { label: last.method_label });
    notify(isUndone ? undone() : text, { isError, isUndone, undo: takeBack });
  };
}

const isConflict = ({ code }) => code === 'version_mismatch';
const reasonOf = (problem) => (isConflict(problem) ? t('list_conflict') : api.reasonOf(problem));
/** Returns what the user reads about a change of which nothing was saved. */
export const failureOf = (problem) =>
  isConflict(problem) ? t('not_saved', { reason: t('list_conflict') }) : api.failureOf(problem);
