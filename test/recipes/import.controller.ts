import { createHash } from 'node:crypto';
import {
  BadRequestException,
  Body,
  Controller,
  Headers,
  HttpCode,
  Inject,
  Param,
  Post,
  PreconditionFailedException,
  UseFilters,
} from '@nestjs/common';
import { CsvError, parse } from 'csv-parse/sync';
import {
  ProblemDetailsFilter,
  repeatLostRaces,
  type ShippingMethodChange,
  ShippingMethodsService,
  toUpsertRequest,
  type UpsertShippingMethodRequest,
  ValidationFailedError,
} from 'nestjs-shipping';
import { DataSource } from 'typeorm';

/** The screen sends this to both routes. `maxRemoved` is the number of removals that the user has accepted. */
interface Upload {
  csv: string;
  maxRemoved: number;
}

@Controller('admin/projects/:project_id/import')
@UseFilters(ProblemDetailsFilter)
export class ImportController {
  constructor(
    @Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService,
    @Inject(DataSource) private readonly dataSource: DataSource,
  ) {}

  @Post('preview')
  @HttpCode(200)
  async preview(@Param('project_id') projectId: string, @Body() body: unknown) {
    const { csv, maxRemoved } = uploadOf(body);
    const options = { removeOthers: true, maxRemoved, dryRun: true };
    const { requests, lines } = read(csv);
    const { changes } = await this.methods
      .upsertMany(projectId, requests, options)
      .catch((error: unknown) => throwWithLines(error, lines));
    const shown = changes.map(({ type, before, after }) => {
      return { type, before: before && toUpsertRequest(before), after: after && toUpsertRequest(after) };
    });
    return { etag: etagOf(csv, changes), changes: shown };
  }

  @Post()
  @HttpCode(200)
  confirm(
    @Param('project_id') projectId: string,
    @Headers('if-match') etag: string | undefined,
    @Body() body: unknown,
  ) {
    const { csv, maxRemoved } = uploadOf(body);
    const { requests, lines } = read(csv);
    return repeatLostRaces(() =>
      this.dataSource.transaction('READ COMMITTED', async (manager) => {
        const options = { removeOthers: true, maxRemoved, manager };
        const { changes } = await this.methods
          .upsertMany(projectId, requests, options)
          .catch((error: unknown) => throwWithLines(error, lines));
        // The error rolls the import back.
        if (etagOf(csv, changes) !== etag)
          throw new PreconditionFailedException('Something has changed: look again.');
        return { changed: changes.length };
      }),
    );
  }
}

/** A request without a body has none of the fields. */
function uploadOf(body: unknown): Upload {
  const { csv, maxRemoved = 10 } = (body ?? {}) as Record<string, unknown>;
  if (typeof csv !== 'string') throw new BadRequestException('csv must be a text.');
  if (typeof maxRemoved !== 'number' || !Number.isInteger(maxRemoved) || maxRemoved < 0)
    throw new BadRequestException('maxRemoved must be an integer from 0.');
  return { csv, maxRemoved };
}

const flag = (cell: string) => (/^(true|false)$/i.test(cell) ? cell.toLowerCase() === 'true' : cell);
const integer = (cell: string) => (/^-?\d+$/.test(cell) ? Number(cell) : cell);

/** How each column is read. The module refuses a text where it needs a number or a boolean. */
const columns = new Map<string, (cell: string) => unknown>([
  ['carrier_code', String],
  ['carrier_label', String],
  ['method_code', String],
  ['method_label', String],
  ['is_active', flag],
  ['sort_order', integer],
]);
const required = ['carrier_code', 'method_code', 'method_label'];

type Cells = Record<string, string>;

/** A request for each row, and the last line of each row. A cell in quotes may have several lines. */
interface Content {
  requests: UpsertShippingMethodRequest[];
  lines: number[];
}

function read(csv: string): Content {
  // No name of a column has a comma, a semicolon or a tab. So the first of these characters is the delimiter.
  const delimiter = /[,;\t]/.exec(csv)?.[0] ?? ',';
  const content: Content = { requests: [], lines: [] };
  try {
    parse<Cells, Cells>(csv, {
      bom: true,
      columns: checkHeader,
      delimiter,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      on_record: (cells, { lines }) => {
        content.requests.push(requestOf(cells));
        content.lines.push(lines);
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalid([{ line: Number(error['lines']), detail: error.message }]);
  }
  return content;
}

/** An empty cell is left out, so that the method keeps its value. */
function requestOf(cells: Cells): UpsertShippingMethodRequest {
  const filled = Object.entries(cells).filter(([, cell]) => cell !== '');
  const fields = filled.map(([name, cell]) => [name, columns.get(name)?.(cell)]);
  return Object.fromEntries(fields) as UpsertShippingMethodRequest;
}

function checkHeader(names: string[]): string[] {
  const violations = [
    ...names.filter((name) => !columns.has(name)).map((name) => `The column "${name}" is unknown.`),
    ...names
      .filter((name, index) => names.indexOf(name) < index)
      .map((name) => `The column "${name}" comes twice.`),
    ...required.filter((name) => !names.includes(name)).map((name) => `The column "${name}" is missing.`),
  ];
  if (violations.length > 0) throw invalid(violations.map((detail) => ({ line: 1, detail })));
  return names;
}

/** The etag changes with the file, and when somebody changes a method that the file would change. */
function etagOf(csv: string, changes: readonly ShippingMethodChange[]): string {
  const named = [csv, ...changes.map(({ type, before }) => [type, before?.id, before?.etag])];
  return `"${createHash('sha256').update(JSON.stringify(named)).digest('base64url')}"`;
}

/** The request with this index is in the file's line `lines[index]`. */
function throwWithLines(error: unknown, lines: readonly number[]): never {
  if (!(error instanceof ValidationFailedError)) throw error;
  const violations = error.violations.map(({ index = 0, pointer, detail }) => {
    const [, , column] = pointer?.split('/') ?? [];
    const text = detail
      .replace(/^\/\d+\//, '')
      .replace(/(?<=^| )\/(\d+)/g, (_, other: string) => `line ${lines[Number(other)]}`);
    return { line: lines[index], column, detail: text };
  });
  throw invalid(violations, error.truncated);
}

/** @param truncated whether the file has more violations than these */
function invalid(lines: object[], truncated = false): BadRequestException {
  return new BadRequestException({
    message: 'Some lines are invalid.',
    lines,
    ...(truncated && { truncated }),
  });
}
