import { withinMs } from './timers.js';
import { maxTurnMs } from './turns.js';

/**
 * The order in which one connection gets the statements of the host and those of our calls. On MariaDB and MySQL, a
 * deadlock may end the whole transaction. If the driver has got another statement by then, the server runs it outside
 * of the transaction, and it commits by itself. So our statements, and the COMMIT, wait for the responses to the
 * statements of the host, and a statement of the host waits until the statements of our call have ended.
 */
export class StatementOrder {
  /** This promise is set while the statements of a call of ours run. */
  private ours: Promise<void> | undefined;
  /** The number of the host's statements that have no response yet. */
  private hostStatements = 0;

  /** A call of ours runs its statements until this promise settles. */
  ourCallRuns(running: Promise<unknown>): void {
    const end = (): void => void (this.ours = undefined);
    this.ours = running.then(end, end);
  }

  /**
   * Delays a statement of ours, or one that begins or ends a transaction.
   * @param refuse throws if the transaction has failed by now, so that the statement must not be sent
   */
  async beforeOurs(whenIdle: () => Promise<void>, refuse: () => void): Promise<void> {
    // A statement that a subscriber of the host has refused gets no response, so the number may never be 0.
    for (let tries = 0; tries < 5 && this.hostStatements > 0; tries++) await whenIdle();
    refuse();
  }

  /** Delays a statement of the host while a call of ours runs, and counts it. */
  async beforeHosts(whenIdle: () => Promise<void>, refuse: () => void): Promise<void> {
    const { ours } = this;
    if (ours) await withinMs(ours, maxTurnMs);
    // Our next statement waits for this one from now on. If our call did not end in time, the driver may still have an
    // earlier statement of ours.
    this.hostStatements++;
    if (!ours) return;
    await whenIdle();
    try {
      refuse();
    } catch (error) {
      this.hostStatementEnded();
      throw error;
    }
  }

  /** A statement of the host has its response, or was refused. */
  hostStatementEnded(): void {
    if (this.hostStatements > 0) this.hostStatements--;
  }

  /** A new transaction begins, and has no statements yet. */
  reset(): void {
    this.hostStatements = 0;
  }
}
