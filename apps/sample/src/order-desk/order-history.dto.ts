import { ApiProperty } from '@nestjs/swagger';
import { InvalidParameterError, type OrderEventPageQuery, ValidationFailedError } from 'nestjs-shipping';

export class NoteRequest {
  @ApiProperty({ type: String, minLength: 1, maxLength: 1000, example: 'The customer called.' })
  message!: string;
}

/**
 * Checks that a note has a message. The library checks its length.
 * @throws ValidationFailedError
 */
export function checkNote(body: unknown): string {
  const { message } = (body ?? {}) as { message?: unknown };
  if (typeof message === 'string' && message.trim() !== '') return message;
  const detail = 'message must be a text that is not blank.';
  throw new ValidationFailedError({ errors: [{ pointer: '/message', code: 'required', detail }] });
}

/** @throws InvalidParameterError */
export function checkKey(key: string | undefined): string | undefined {
  if (key === undefined || /^[!-~]{1,64}$/.test(key)) return key;
  const detail = 'idempotency-key must have 1 to 64 visible ASCII characters, such as a UUID.';
  throw new InvalidParameterError({ errors: [{ header: 'idempotency-key', code: 'format', detail }] });
}

/**
 * Turns the texts of a URL into the values that the library expects. The library checks these values, and names
 * each fault.
 */
export function pageQueryOf({
  limit,
  types,
  newestFirst,
  ...rest
}: Record<string, unknown>): OrderEventPageQuery {
  const flags: Record<string, unknown> = { true: true, false: false };
  const query: unknown = {
    ...rest,
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(types !== undefined && { types: [types].flat() }),
    ...(newestFirst !== undefined && { newestFirst: flags[String(newestFirst)] ?? newestFirst }),
  };
  return query as OrderEventPageQuery;
}
