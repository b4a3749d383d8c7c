import { Batches } from '../database/batches.js';
import { type CallOptions, type Database, forMany } from '../database/database.js';
import { Parameters } from '../database/parameters.js';
import { neverWritten, validator } from '../database/revision.js';
import { ShippingProject } from '../database/shipping-project.entity.js';
import { int32 } from '../validation/rules.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { type CheckedListQuery } from './list-query.check.js';
import { listOrder, methodJson, Presentation } from './presented.js';
import { ShippingMethod } from './shipping-method.entity.js';
import { type Branch } from './tree.js';

/** What was found, and the state of the project that it belongs to. */
export interface Read<Found> {
  /** Of the project, at the moment of the statement. */
  validator: string;
  /** How many there are beside these; of all methods, where nothing was asked for by condition. */
  total: number;
  found: Found[];
}

interface Head {
  validator: string;
  /** How many methods have `use_default`. */
  followers: number;
  total: number;
}

/** Methods: of a page, of a carrier, or one. */
export interface MethodsText {
  /** Their JSON, with commas between, or their ids, with nothing between. */
  text: string;
}

export interface BranchText extends Branch, MethodsText {
  /** How many. */
  methods: number;
}

/** Of a project's methods, one by its id or by its codes. */
type MethodKey = { project_id: string } & ({ id: string } | { carrier_code: string; method_code: string });

const sameMethod = {
  id: 'm.id = k.id',
  codes: 'm.carrier_code = k.carrier_code AND m.method_code = k.method_code',
};

type StatementOf = (
  presentation: Presentation,
  project: string,
  parameters: Parameters,
) => { found: string; order?: string; total?: string; isOneOff?: boolean };

/** What reads methods: each is one statement, hence of one moment, and names its project. */
export class MethodReads {
  private readonly presented = new Presentation(true);
  private readonly stored = new Presentation(false);
  private readonly finds = {
    id: new Batches((keys: MethodKey[]) => this.findAll('id', keys, forMany)),
    codes: new Batches((keys: MethodKey[]) => this.findAll('codes', keys, forMany)),
  };

  constructor(
    private readonly database: Database,
    private readonly defaultsProjectId: string,
  ) {}

  async find(key: MethodKey, options: CallOptions): Promise<ShippingMethodDto | undefined> {
    const by = 'id' in key ? 'id' : 'codes';
    const [text] = this.database.isCallers(options)
      ? await this.findAll(by, [key], options)
      : [await this.finds[by].join(key)];
    return text === undefined ? undefined : (JSON.parse(text) as ShippingMethodDto);
  }

  /** The JSON of each method, in the order of the keys. */
  private async findAll(
    by: keyof typeof sameMethod,
    keys: readonly MethodKey[],
    options: CallOptions,
  ): Promise<(string | undefined)[]> {
    const parameters = new Parameters();
    const from = this.presented.from(this.methods, this.methods, this.defaultsProjectId, parameters);
    const sent = JSON.stringify(keys.map((key, place) => ({ ...key, place })));
    const rows = await this.database.read<{ place: number } & MethodsText>(
      `SELECT m.place, ${methodJson} AS text FROM (
         SELECT k.place, ${this.presented.columns} FROM ${from} JOIN json_to_recordset(${parameters.bind(sent, 'json')})
           AS k(place integer, project_id text, id uuid, carrier_code text, method_code text)
           ON m.project_id = k.project_id AND ${sameMethod[by]}
       ) AS m`,
      parameters.values,
      options,
    );
    const found = new Map(rows.map(({ place, text }) => [place, text]));
    return keys.map((_key, place) => found.get(place));
  }

  /** A page in list order, and how many methods there are in all of its pages. */
  page(
    projectId: string,
    { page, perPage, words, groups }: CheckedListQuery,
    options: CallOptions,
  ): Promise<Read<MethodsText>> {
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
        // The JSON is made above the limit, or PostgreSQL makes it of what it skips too.
        found: `SELECT string_agg(${methodJson}, ',' ORDER BY ${listOrder.join(', ')}) AS text
          FROM (
            SELECT ${presentation.columns} ${matching} ORDER BY ${presentation.order}
            LIMIT ${parameters.bind(perPage, 'integer')} OFFSET ${parameters.bind((page - 1) * perPage, 'integer')}
          ) AS m`,
        ...(conditions.length > 0 && { total: `(SELECT count(*)::integer ${matching})`, isOneOff: true }),
      };
    });
  }

  /** The carriers in the order of the tree, with their methods as JSON; none when there are more than `maxMethods`. */
  tree(projectId: string, maxMethods: number, options: CallOptions): Promise<Read<BranchText>> {
    return this.branches(projectId, `${methodJson}, ','`, maxMethods, options);
  }

  /** The carriers in the order of the tree, with the ids of their methods. */
  outline(projectId: string): Promise<Read<BranchText>> {
    return this.branches(projectId, `m.id::text, ''`, int32.max, {});
  }

  /** The methods with these ids, in no order. */
  byIds(projectId: string, ids: readonly string[]): Promise<Read<MethodsText & { id: string }>> {
    return this.read(projectId, {}, (presentation, project, parameters) => ({
      found: `SELECT m.id, ${methodJson} AS text
        FROM (
          SELECT ${presentation.columns} ${this.from(presentation, project, parameters)}
          AND m.id = ANY(${parameters.bind(ids, 'uuid[]')})
        ) AS m`,
    }));
  }

  /** The validators of the projects, in their order. */
  async validators(projectIds: readonly string[], options: CallOptions): Promise<string[]> {
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

  /** @param text of each method, and what stands between two */
  private branches(
    projectId: string,
    text: string,
    maxMethods: number,
    options: CallOptions,
  ): Promise<Read<BranchText>> {
    const order = 'sort_order, method_code';
    return this.read(projectId, options, (presentation, project, parameters) => ({
      found: `SELECT carrier_code, min(sort_order) AS sort_order, bool_or(is_active) AS is_active,
          (array_agg(carrier_label ORDER BY ${order}) FILTER (WHERE carrier_label IS NOT NULL))[1]
            AS carrier_label,
          count(*)::integer AS methods, string_agg(${text} ORDER BY ${order}) AS text
        FROM (
          SELECT ${presentation.columns} ${this.from(presentation, project, parameters)}
          AND (SELECT total FROM head) <= ${parameters.bind(maxMethods, 'integer')}
        ) AS m GROUP BY carrier_code`,
      order: 'ORDER BY sort_order, carrier_code',
    }));
  }

  /** Most projects follow no defaults and are read by index, in order; the statement says if this one does. */
  private async read<Found extends MethodsText>(
    projectId: string,
    options: CallOptions,
    statement: StatementOf,
  ): Promise<Read<Found>> {
    const read = await this.readAs<Found>(this.stored, projectId, options, statement);
    return read.followers > 0 ? this.readAs<Found>(this.presented, projectId, options, statement) : read;
  }

  private async readAs<Found extends MethodsText>(
    presentation: Presentation,
    projectId: string,
    options: CallOptions,
    statement: StatementOf,
  ): Promise<Read<Found> & Head> {
    const parameters = new Parameters();
    const project = parameters.bind(projectId, 'text');
    const defaults = parameters.bind(this.defaultsProjectId, 'text');
    const {
      found,
      order = '',
      total = 'COALESCE(p.methods, 0)',
      isOneOff,
    } = statement(presentation, project, parameters);
    // The head stands beside each that was found, and alone where nothing was.
    const rows = await this.database.read<Head & (Found | { text: null })>(
      `WITH head AS (
         SELECT ${validator} AS validator, COALESCE(p.followers, 0) AS followers, ${total} AS total
         FROM (SELECT) AS one LEFT JOIN ${this.projects} AS p ON p.project_id = ${project}
           LEFT JOIN ${this.projects} AS d ON d.project_id = ${defaults}
       ) SELECT * FROM head LEFT JOIN (${found}) AS found ON true ${order}`,
      parameters.values,
      options,
      isOneOff,
    );
    const [head] = rows;
    if (!head) throw new Error('A project was read without its head.');
    return { ...head, found: rows.filter((row) => row.text !== null) };
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
