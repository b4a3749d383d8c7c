import { Inject } from '@nestjs/common';
import { Batches } from '../database/batches.js';
import { type CallOptions, Database, forMany } from '../database/database.js';
import { jsonObject, jsonOf } from '../database/json.js';
import { Parameters } from '../database/parameters.js';
import { neverWritten, validator } from '../database/revision.js';
import { ShippingProject } from '../database/shipping-project.entity.js';
import { int32 } from '../validation/rules.js';
import { ShippingSettings } from '../shipping.options.js';
import { type ShippingMethodDto } from './dto/shipping-method.dto.js';
import { type CheckedListQuery } from './list-query.check.js';
import { byCodes, byId, listOrder, methodJson, Presentation } from './presented.js';
import { ShippingMethod } from './shipping-method.entity.js';

/** What was found, and the state of the project that it belongs to, of one moment. */
export interface Read {
  validator: string;
  /** How many there are beside these; of all methods, where nothing was asked for by condition. */
  total: number;
  /** JSON of methods or carriers; empty when nothing was found. */
  text: string;
}

type Row = Read & { followers: string };

/** Of a project's methods, one by its id or by its codes. */
type MethodKey = { project_id: string } & ({ id: string } | { carrier_code: string; method_code: string });

type StatementOf = (presentation: Presentation, project: string, parameters: Parameters) => Statement;

interface Statement {
  /** Finds the text; an array of texts where `isArray`, and each comes in a row of its own. */
  text: string;
  isArray?: boolean;
  /** What counts, where that is not all methods. */
  total?: string;
  /** One of very many texts. */
  isOneOff?: boolean;
}

const idLength = 32;
/** Of a method in an outline: its id and its version, in hexadecimal digits. */
export const placeLength = idLength + 8;

const carrierOrder = 'sort_order, carrier_code';
const branchOrder = 'sort_order, method_code';

/** A carrier of the tree, its methods left out. */
const branch = {
  carrier_code: jsonOf('carrier_code'),
  // The first one among its methods.
  carrier_label: jsonOf(
    `COALESCE((array_agg(carrier_label ORDER BY ${branchOrder}) FILTER (WHERE carrier_label IS NOT NULL))[1], carrier_code)`,
  ),
  is_active: jsonOf('bool_or(is_active)'),
  sort_order: 'min(sort_order)',
};

/** What reads methods: each is one statement, hence of one moment, and names its project. */
export class MethodReads {
  private readonly presented = new Presentation(true);
  private readonly stored = new Presentation(false);
  private readonly finds = {
    id: new Batches((keys: MethodKey[]) => this.findAll('id', keys, forMany)),
    codes: new Batches((keys: MethodKey[]) => this.findAll('codes', keys, forMany)),
  };

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ShippingSettings) private readonly settings: ShippingSettings,
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
    by: 'id' | 'codes',
    keys: readonly MethodKey[],
    options: CallOptions,
  ): Promise<(string | undefined)[]> {
    const parameters = new Parameters();
    const sent = JSON.stringify(keys.map((key, place) => ({ ...key, place })));
    const project = 'k.project_id';
    const one = by === 'id' ? byId(this.methods, project, 'k.id') : byCodes(this.methods, project, 'k');
    const source = `json_to_recordset(${parameters.bind(sent, 'json')})
      AS k(place text, project_id text, id uuid, carrier_code text, method_code text) CROSS JOIN ${one}`;
    const from = this.presented.from(source, this.methods, this.settings.defaultsProjectId, parameters);
    const rows = await this.database.read<{ place: string; text: string }>(
      `SELECT m.place, ${methodJson} AS text FROM (
         SELECT k.place, ${this.presented.columns} FROM ${from} WHERE m.id = COALESCE(k.id, m.id)
       ) AS m`,
      parameters.values,
      options,
    );
    const found = new Map(rows.map(({ place, text }) => [place, text]));
    return keys.map((_key, place) => found.get(String(place)));
  }

  /** A page in list order, commas between, and how many methods there are in all of its pages. */
  page(
    projectId: string,
    { page, perPage, words, groups }: CheckedListQuery,
    options: CallOptions,
  ): Promise<Read> {
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
        text: `SELECT string_agg(${methodJson}, ',' ORDER BY ${listOrder.join(', ')}) FROM (
            SELECT ${presentation.columns} ${matching} ORDER BY ${presentation.order}
            LIMIT ${parameters.bind(perPage, 'integer')} OFFSET ${parameters.bind((page - 1) * perPage, 'integer')}
          ) AS m`,
        ...(conditions.length > 0 && {
          total: `(SELECT count(*)::integer ${matching})`,
          isOneOff: true,
        }),
      };
    });
  }

  /** The carriers with their methods, commas between; nothing when there are more than `maxMethods`. */
  tree(projectId: string, maxMethods: number, options: CallOptions): Promise<Read> {
    const methods = `'[', string_agg(${methodJson}, ',' ORDER BY ${branchOrder}), ']'`;
    const text = jsonObject({ ...branch, methods });
    return this.read(projectId, options, (...within) => ({
      text: `SELECT string_agg(text, ',' ORDER BY ${carrierOrder}) FROM ${this.branches(text, maxMethods, ...within)}`,
    }));
  }

  /** A text for each carrier of the tree: its JSON without the methods, a tab, and their places. Then an empty one. */
  outline(projectId: string): Promise<[Read, ...Read[]]> {
    const places = `encode(string_agg(uuid_send(m.id) || int4send(m.version), '' ORDER BY ${branchOrder}), 'hex')`;
    const text = `concat(${jsonObject(branch)}, E'\\t', ${places})`;
    return this.rows(projectId, {}, (...within) => ({
      text: `SELECT array_agg(text ORDER BY ${carrierOrder}) FROM ${this.branches(text, int32.max, ...within)}`,
      isArray: true,
    }));
  }

  /** Of the methods of an outline those that are still at their versions, in its order, a line for each. */
  unchanged(projectId: string, places: readonly string[]): Promise<Read> {
    return this.read(projectId, {}, (presentation, project, parameters) => {
      const ids = parameters.bind(
        places.map((place) => place.slice(0, idLength)),
        'uuid[]',
      );
      const versions = parameters.bind(
        places.map((place) => parseInt(place.slice(idLength), 16)),
        'integer[]',
      );
      const source = `unnest(${ids}, ${versions}) WITH ORDINALITY AS k(id, version, place)
              CROSS JOIN ${byId(this.methods, project, 'k.id')}`;
      return {
        text: `SELECT string_agg(${methodJson}, E'\\n' ORDER BY m.place) FROM (
            SELECT k.place, ${presentation.columns} ${this.from(presentation, project, parameters, source)}
            AND m.id = k.id AND m.version = k.version
          ) AS m`,
      };
    });
  }

  /** The validators of the projects, in their order. */
  async validators(projectIds: readonly string[], options: CallOptions): Promise<string[]> {
    const rows = await this.database.read<{ project_id: string; validator: string }>(
      `SELECT p.project_id::text, ${validator} AS validator
       FROM ${this.projects} AS p LEFT JOIN ${this.projects} AS d ON d.project_id = $2
       WHERE p.project_id = ANY($1::text[])`,
      [[...new Set(projectIds)], this.settings.defaultsProjectId],
      options,
    );
    const found = new Map(rows.map((row) => [row.project_id, row.validator]));
    return projectIds.map((id) => found.get(id) ?? neverWritten);
  }

  /** The carriers of the tree. @param text of each, in SQL */
  private branches(
    text: string,
    maxMethods: number,
    presentation: Presentation,
    project: string,
    parameters: Parameters,
  ): string {
    return `(
        SELECT carrier_code, min(sort_order) AS sort_order, ${text} AS text FROM (
          SELECT ${presentation.columns} ${this.from(presentation, project, parameters)}
          AND (SELECT total FROM head) <= ${parameters.bind(maxMethods, 'integer')}
        ) AS m GROUP BY carrier_code
      ) AS branch`;
  }

  private async read(projectId: string, options: CallOptions, statement: StatementOf): Promise<Read> {
    return (await this.rows(projectId, options, statement))[0];
  }

  /** Most projects follow no defaults and are read by index, in order; the statement says if this one does. */
  private async rows(
    projectId: string,
    options: CallOptions,
    statement: StatementOf,
  ): Promise<[Row, ...Row[]]> {
    const rows = await this.rowsAs(this.stored, projectId, options, statement);
    return rows[0].followers !== '0' ? this.rowsAs(this.presented, projectId, options, statement) : rows;
  }

  private async rowsAs(
    presentation: Presentation,
    projectId: string,
    options: CallOptions,
    statement: StatementOf,
  ): Promise<[Row, ...Row[]]> {
    const parameters = new Parameters();
    const project = parameters.bind(projectId, 'text');
    const defaults = parameters.bind(this.settings.defaultsProjectId, 'text');
    const { text, isArray, total, isOneOff } = statement(presentation, project, parameters);
    const rows = await this.database.read<Record<keyof Row, string>>(
      `WITH head AS (
         SELECT ${validator} AS validator, COALESCE(p.followers, 0) AS followers,
           ${total ?? 'COALESCE(p.methods, 0)'} AS total
         FROM (SELECT) AS one LEFT JOIN ${this.projects} AS p ON p.project_id = ${project}
           LEFT JOIN ${this.projects} AS d ON d.project_id = ${defaults}
       ) SELECT validator, followers::text, total::text,
         ${isArray ? `unnest((${text}) || ''::text)` : `COALESCE((${text}), '')`} AS text FROM head`,
      parameters.values,
      options,
      isOneOff,
    );
    const [first, ...others] = rows.map((row) => ({ ...row, total: Number(row.total) }));
    if (!first) throw new Error('A project was read without its head.');
    return [first, ...others];
  }

  private from(
    presentation: Presentation,
    project: string,
    parameters: Parameters,
    source = this.methods,
  ): string {
    const from = presentation.from(source, this.methods, this.settings.defaultsProjectId, parameters);
    return `FROM ${from} WHERE m.project_id = ${project}`;
  }

  private get methods(): string {
    return this.database.table(ShippingMethod);
  }

  private get projects(): string {
    return this.database.table(ShippingProject);
  }
}
