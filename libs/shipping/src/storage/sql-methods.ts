import { type CheckedListQuery } from '../shipping-methods/list-query.check.js';
import { ShippingMethod } from '../shipping-methods/shipping-method.entity.js';
import { ShippingProject } from '../shipping-methods/shipping-project.entity.js';
import { type Statements } from './scripts.js';
import { MethodStore, type Read, type StorageSettings } from './shipping-storage.js';
import { type Dialect } from './shown.js';
import { type Scope } from './transactions.js';
import { revisionOf } from './wire-json.js';

/** What a read gives, and whether a method of the project has `use_default`. */
export type HeadedRead = Read & { inherits: boolean };

/** The reads of many methods in an engine of SQL. */
export abstract class SqlMethods extends MethodStore {
  /** SQL of the revision of a project `p` with the defaults project `d`. */
  protected readonly revision: string;

  /** @param format names the form of the JSON */
  constructor(
    private readonly statements: Statements,
    protected readonly dialect: Dialect,
    protected readonly settings: StorageSettings,
    private readonly format: string,
  ) {
    super();
    this.revision = revisionOf(dialect, format);
  }

  page(projectId: string, query: CheckedListQuery, scope: Scope): Promise<Read> {
    return this.read(projectId, scope, query);
  }

  tree(projectId: string, scope: Scope): Promise<Read> {
    return this.read(projectId, scope);
  }

  async revisions(projectIds: readonly string[], scope: Scope): Promise<string[]> {
    const { all: values, bind } = this.dialect.values();
    const rows = await this.statements.send<{ project_id: string; revision: string }>(scope, {
      sql: `SELECT ${this.dialect.concat(['p.project_id'])} AS project_id, ${this.revision} AS revision FROM ${this.projects} AS p
        LEFT JOIN ${this.projects} AS d ON d.project_id = ${bind(this.settings.defaultsProjectId, 'code')}
        WHERE ${this.dialect.anyOf('p.project_id', [...new Set(projectIds)], 'code', bind)}`,
      values,
    });
    const found = new Map(rows.map(({ project_id, revision }) => [project_id, revision]));
    return projectIds.map((id) => found.get(id) ?? this.format);
  }

  /** At one moment. @param query undefined: the tree */
  protected abstract readAs(
    inherits: boolean,
    projectId: string,
    scope: Scope,
    query?: CheckedListQuery,
  ): Promise<HeadedRead>;

  protected get methods(): string {
    return this.statements.table(ShippingMethod);
  }

  protected get projects(): string {
    return this.statements.table(ShippingProject);
  }

  /** Most projects have no method with `use_default` and are read by index, in order; what is read says if this one has. */
  private async read(projectId: string, scope: Scope, query?: CheckedListQuery): Promise<Read> {
    const read = await this.readAs(false, projectId, scope, query);
    return read.inherits ? this.readAs(true, projectId, scope, query) : read;
  }
}
