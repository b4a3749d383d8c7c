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
import {
  ProblemDetailsFilter,
  type ShippingMethodChange,
  ShippingMethods,
  upsertRequestOf,
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
    @Inject(ShippingMethods) private readonly methods: ShippingMethods,
    @Inject(DataSource) private readonly dataSource: DataSource,
  ) {}

  @Post('preview')
  @HttpCode(200)
  async preview(@Param('project_id') projectId: string, @Body() body: unknown) {
    const { csv, maxRemoved } = uploadOf(body);
    const options = { removeOthers: true, maxRemoved, dryRun: true };
    const { changes } = await this.methods
      .upsertMany(projectId, requestsOf(csv), options)
      .catch(throwWithLines);
    const lines = changes.map(({ type, before, after }) => {
      return { type, before: before && upsertRequestOf(before), after: after && upsertRequestOf(after) };
    });
    return { etag: etagOf(csv, changes), changes: lines };
  }

  @Post()
  @HttpCode(200)
  confirm(
    @Param('project_id') projectId: string,
    @Headers('if-match') etag: string | undefined,
    @Body() body: unknown,
  ) {
    const { csv, maxRemoved } = uploadOf(body);
    return this.dataSource.transaction(async (manager) => {
      const options = { removeOthers: true, maxRemoved, manager };
      const { changes } = await this.methods
        .upsertMany(projectId, requestsOf(csv), options)
        .catch(throwWithLines);
      // The error rolls the import back.
      if (etagOf(csv, changes) !== etag)
        throw new PreconditionFailedException('Something has changed: look again.');
      return { changed: changes.length };
    });
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

/** The first line has the names of the columns. */
function requestsOf(csv: string): UpsertShippingMethodRequest[] {
  const lines = csv.trim().split(/\r?\n/).slice(1);
  return lines.map((line) => {
    const [carrier_code = '', method_code = '', method_label = '', order] = line.split(';');
    const sort_order = order ? Number(order) : undefined;
    return { carrier_code, method_code, method_label, sort_order };
  });
}

/** The etag changes with the file, and when somebody changes a method that the file would change. */
function etagOf(csv: string, changes: readonly ShippingMethodChange[]): string {
  const named = [csv, ...changes.map(({ type, before }) => [type, before?.id, before?.etag])];
  return `"${createHash('sha256').update(JSON.stringify(named)).digest('base64url')}"`;
}

/** The request 0 is in line 2. */
const lineOf = (index: number): number => index + 2;

/** The place `/3/method_label` is the column `method_label` of line 5. */
function throwWithLines(error: unknown): never {
  if (!(error instanceof ValidationFailedError)) throw error;
  const lines = error.violations.map(({ index = 0, pointer, detail }) => {
    const [, , column] = pointer?.split('/') ?? [];
    const text = detail.replace(/(?<=^| )\/(\d+)/g, (_, other) => `line ${lineOf(Number(other))}`);
    return { line: lineOf(index), column, detail: text };
  });
  throw new BadRequestException({ message: 'Some lines are invalid.', lines });
}
