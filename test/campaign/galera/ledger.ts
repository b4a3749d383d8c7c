import { setTimeout as delay } from 'node:timers/promises';
import { connectionError, DatabaseUnavailableError, OutcomeUnknownError } from 'nestjs-shipping';
import { type EngineHost } from '../../engines/host.js';

type Outcome = 'acknowledged' | 'open' | 'refused';

interface Known {
  project: string;
  host: number;
  created: Outcome;
  id?: string;
  /** The label of the last change that was acknowledged, and of all that were left open. */
  label: string;
  openLabels: string[];
  ordered: Outcome;
  /** What went wrong, in words. */
  failures: string[];
}

const note = 'CREATE TABLE IF NOT EXISTS note (n varchar(64) PRIMARY KEY)';

/**
 * Writers that remember the outcome of each call, so that these can be compared with what the nodes store afterwards.
 * Each one creates a method, changes it, and records an event in a transaction that also writes a row of the host.
 */
export class Ledger {
  readonly known = new Map<string, Known>();
  /** How many calls had each outcome; refusals with their causes. */
  readonly outcomes: Record<string, number> = {};
  private isStopped = false;
  private next = 0;
  /** Several, so that many commits are under way at once. */
  private readonly projects = Array.from({ length: 12 }, (_, number) => `${this.project}-${number}`);

  private constructor(
    private readonly hosts: readonly EngineHost[],
    private readonly project: string,
  ) {}

  static async of(hosts: readonly EngineHost[], project: string): Promise<Ledger> {
    await hosts[0]?.dataSource.query(note);
    return new Ledger(hosts, project);
  }

  /** Writes on all hosts until `stop`. */
  async write(writersOfEach: number): Promise<void> {
    this.isStopped = false;
    const writer = async (number: number): Promise<void> => {
      while (!this.isStopped) await this.one(number);
    };
    await Promise.all(
      this.hosts.flatMap((_, number) => Array.from({ length: writersOfEach }, () => writer(number))),
    );
  }

  stop(): void {
    this.isStopped = true;
  }

  get acknowledged(): number {
    return Object.entries(this.outcomes)
      .filter(([name]) => name.startsWith('acknowledged'))
      .reduce((sum, [, count]) => sum + count, 0);
  }

  /** Compares the outcomes with what a node stores. */
  async reckon(on: EngineHost): Promise<{ lost: string[]; phantom: string[] }> {
    const labels = new Map<string, string>();
    for (const project of this.projects) {
      const { data } = await on.methods.tree(project);
      const methods = data.flatMap((carrier) => carrier.methods);
      for (const { method_code, method_label } of methods) labels.set(method_code, method_label);
    }
    const rows = await on.dataSource.query<{ n: string }[]>('SELECT n FROM note');
    const notes = new Set(rows.map(({ n }) => n));
    const [lost, phantom]: string[][] = [[], []];
    for (const [code, { project, host, created, label, openLabels, ordered, failures }] of this.known) {
      const found = labels.get(code);
      labels.delete(code);
      const name = `${code} of host ${host} (${failures.join(', ')})`;
      if (created === 'acknowledged' && found === undefined) lost?.push(`${name}: created`);
      if (created === 'refused' && found !== undefined) phantom?.push(`${name}: created`);
      if (found !== undefined && created === 'acknowledged' && found !== label && !openLabels.includes(found))
        (found === 'refused' ? phantom : lost)?.push(
          `${name}: ${found}, not ${label} or ${openLabels.join()}`,
        );
      const events = (await on.events.list(project, code)).length;
      const isNoted = notes.has(code);
      if (events !== Number(isNoted)) phantom?.push(`${name}: a torn transaction`);
      if (ordered === 'acknowledged' && !isNoted) lost?.push(`${name}: its transaction`);
      if (ordered === 'refused' && isNoted) phantom?.push(`${name}: its transaction`);
    }
    for (const code of labels.keys()) phantom?.push(`${code}: never sent`);
    return { lost: lost ?? [], phantom: phantom ?? [] };
  }

  private async one(number: number): Promise<void> {
    const host = this.hosts[number] as EngineHost;
    const project = this.projects[this.next % this.projects.length] ?? '';
    const code = `m${this.next++}`;
    const method = { carrier_code: 'ups', method_code: code, method_label: 'created' };
    const known: Known = {
      project,
      host: number + 1,
      created: 'refused',
      label: 'created',
      openLabels: [],
      ordered: 'refused',
      failures: [],
    };
    this.known.set(code, known);
    known.created = await this.outcomeOf('create', known, async () => {
      known.id = (await host.methods.create(project, method)).id;
    });
    const { id } = known;
    if (id !== undefined) {
      for (const label of ['first', 'second']) {
        const changed = await this.outcomeOf('update', known, () =>
          host.methods.update(project, id, { ...method, method_label: label }),
        );
        if (changed === 'acknowledged') Object.assign(known, { label, openLabels: [] });
        if (changed === 'open') known.openLabels.push(label);
      }
    }
    known.ordered = await this.outcomeOf('transaction', known, () =>
      host.dataSource.transaction(async (manager) => {
        await manager.query('INSERT INTO note VALUES (?)', [code]);
        await host.events.record({ projectId: project, orderId: code, type: 'order.placed' }, { manager });
      }),
    );
  }

  private async outcomeOf(call: string, { failures }: Known, send: () => Promise<unknown>): Promise<Outcome> {
    try {
      await send();
      this.count(`acknowledged ${call}`);
      return 'acknowledged';
    } catch (thrown) {
      const error = connectionError(thrown) as Error & { cause?: { code?: string; errno?: number } };
      const isOpen = error instanceof OutcomeUnknownError;
      const isKnown = isOpen || error instanceof DatabaseUnavailableError;
      const kind = isOpen ? 'open' : isKnown ? 'refused' : 'OTHER';
      const cause = isKnown ? deepest(error) : error;
      const { code = cause.message, sql = '' } = cause as { code?: string; sql?: string };
      const failure = `${kind} ${call} ${code}${sql === 'COMMIT' ? ' at COMMIT' : ''}`;
      this.count(failure);
      failures.push(failure);
      // A node that is down refuses at once. The pause leaves the processor to others.
      await delay(20);
      return isOpen ? 'open' : 'refused';
    }
  }

  private count(name: string): void {
    this.outcomes[name] = (this.outcomes[name] ?? 0) + 1;
  }
}

function deepest(error: Error): Error {
  return error.cause instanceof Error ? deepest(error.cause) : error;
}
