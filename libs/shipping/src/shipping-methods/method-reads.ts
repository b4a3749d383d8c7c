import { type CallOptions, type Database } from '../database/database.js';
import { Parameters } from '../database/parameters.js';
import { neverWritten, validator } from '../database/revision.js';
import { ShippingProject } from '../database/shipping-project.entity.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { type CheckedListQuery } from './list-query.check.js';
import { methodOf, type MethodRow } from './method-row.js';
import { listOrder, Presentation } from './presented.js';
import { ShippingMethod } from './shipping-method.entity.js';
import { type Branch } from './tree.js';

/** Rows, and the state of the project that they belong to. */
export interface Read<Row> {
  /** Of the project, at the moment of the statement. */
  validator: string;
  /** How many there are beside these; of all methods, where nothing was asked for by condition. */
  total: number;
  rows: Row[];
}

interface Head {
  validator: string;
  /** How many methods have `use_default`. */
  followers: number;
  total: number;
}

interface Found {
  /** null: nothing was found. */
  carrier_code: string | null;
}

type StatementOf = (
  presentation: Presentation,
  project: string,
  parameters: Parameters,
) => { found: string; order: readonly string[]; total?: string; isOneOff?: boolean };

export interface BranchRow extends Branch {
  /** How many. */
  methods: number;
  /** Of its methods, in order, one after the other. */
  ids: string;
}

/** What reads methods: each is one statement, hence of one moment, and names its project. */
export class MethodReads {
  private readonly presented = new Presentation(true);
  private readonly stored = new Presentation(false);

  constructor(
    private readonly database: Database,
    private readonly defaultsProjectId: string,
  ) {}

  /** The one method that satisfies `where`. */
  async find(
    projectId: string,
    where: (parameters: Parameters) => string,
    options: CallOptions,
  ): Promise<ShippingMethodDto | undefined> {
    const parameters = new Parameters();
    const project = parameters.bind(projectId, 'text');
    const from = this.from(this.presented, project, parameters);
    const [row] = await this.database.read<MethodRow>(
      `SELECT ${this.presented.columns} ${from} AND ${where(parameters)}`,
      parameters.values,
      options,
    );
    return row && methodOf(row);
  }

  /** A page in list order, and how many methods there are in all of its pages. */
  page(
    projectId: string,
    { page, perPage, words, groups }: CheckedListQuery,
    options: CallOptions,
  ): Promise<Read<MethodRow>> {
    return this.read(projectId, options, (presentation, project, parameters) => {
      const conditions = [
        ...words.map((word) => presentation.hasWord(word, parameters)),
        ...groups.map((group) => {
          const any = group.map((condition) => presentation.satisfies(condition, parameters));
          return any.length > 0 ? `(${any.join(' OR ')})` : 'false';
        }),
      ];
      const matching = [this.from(presentation, project, parameters), ...conditions].join(' AND ');
      return {
        found: `SELECT ${presentation.columns} ${matching} ORDER BY ${presentation.order}
          LIMIT ${parameters.bind(perPage, 'integer')} OFFSET ${parameters.bind((page - 1) * perPage, 'integer')}`,
        order: listOrder,
        ...(conditions.length > 0 && { total: `(SELECT count(*)::integer ${matching})`, isOneOff: true }),
      };
    });
  }

  /** The carriers of a project as the tree has them, and the ids of all methods in its order. */
  branches(projectId: string, options: CallOptions): Promise<Read<BranchRow>> {
    return this.read(projectId, options, (presentation, project, parameters) => ({
      found: `SELECT carrier_code, min(sort_order) AS sort_order, bool_or(is_active) AS is_active,
          (array_agg(carrier_label ORDER BY sort_order, method_code) FILTER (WHERE carrier_label IS NOT NULL))[1]
            AS carrier_label,
          count(*)::integer AS methods, string_agg(id::text, '' ORDER BY sort_order, method_code) AS ids
        FROM (SELECT ${presentation.columns} ${this.from(presentation, project, parameters)}) AS m
        GROUP BY carrier_code`,
      order: ['sort_order', 'carrier_code'],
    }));
  }

  /** The methods with these ids, in no order. */
  byIds(projectId: string, ids: readonly string[], options: CallOptions): Promise<Read<MethodRow>> {
    return this.read(projectId, options, (presentation, project, parameters) => ({
      found: `SELECT ${presentation.columns} ${this.from(presentation, project, parameters)}
        AND m.id = ANY(${parameters.bind(ids, 'uuid[]')})`,
      order: ['id'],
    }));
  }

  /** The validators of the projects, in their order. */
  async validators(projectIds: readonly string[], options: CallOptions = {}): Promise<string[]> {
    const rows = await this.database.read<{ project_id: string; validator: string }>(
      `SELECT p.project_id, ${validator} AS validator
       FROM ${this.projects} AS p LEFT JOIN ${this.projects} AS d ON d.project_id = $2
       WHERE p.project_id = ANY($1::text[])`,
      [[...new Set(projectIds)], this.defaultsProjectId],
      options,
    );
    const found = new Map(rows.map((row) => [row.project_id, row.validator]));
    return projectIds.map((id) => found.get(id) ?? neverWritten);
  }

  /** Most projects follow no defaults and are read by index, in order; the statement says if this one does. */
  private async read<Row extends Found>(
    projectId: string,
    options: CallOptions,
    statement: StatementOf,
  ): Promise<Read<Row>> {
    const read = await this.readAs<Row>(this.stored, projectId, options, statement);
    return read.followers > 0 ? this.readAs<Row>(this.presented, projectId, options, statement) : read;
  }

  private async readAs<Row extends Found>(
    presentation: Presentation,
    projectId: string,
    options: CallOptions,
    statement: StatementOf,
  ): Promise<Read<Row> & Head> {
    const parameters = new Parameters();
    const project = parameters.bind(projectId, 'text');
    const defaults = parameters.bind(this.defaultsProjectId, 'text');
    const {
      found,
      order,
      total = 'COALESCE(p.methods, 0)',
      isOneOff,
    } = statement(presentation, project, parameters);
    // The head stands in each row, and alone where nothing was found.
    const rows = await this.database.read<Head & Row>(
      `WITH head AS (
         SELECT ${validator} AS validator, COALESCE(p.followers, 0) AS followers, ${total} AS total
         FROM (SELECT) AS one LEFT JOIN ${this.projects} AS p ON p.project_id = ${project}
           LEFT JOIN ${this.projects} AS d ON d.project_id = ${defaults}
       ), found AS (${found})
       SELECT * FROM head LEFT JOIN found ON true ORDER BY ${order.map((column) => `found.${column}`).join(', ')}`,
      parameters.values,
      options,
      isOneOff,
    );
    const [head] = rows;
    if (!head) throw new Error('A project was read without its head.');
    return { ...head, rows: head.carrier_code === null ? [] : rows };
  }

  private from(presentation: Presentation, project: string, parameters: Parameters): string {
    const from = presentation.from(this.methods, this.methods, this.defaultsProjectId, parameters);
    return `FROM ${from} WHERE m.project_id = ${project}`;
  }

  private get methods(): string {
    return this.database.table(ShippingMethod);
  }

  private get projects(): string {
    return this.database.table(ShippingProject);
  }
}
