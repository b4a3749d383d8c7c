import { type Violations } from '../validation/violations.js';
import { type HttpRequest } from './request.js';

// Conditional requests, RFC 9110 section 13.

export function entityTag(opaque: string | number): string {
  return `"${opaque}"`;
}

interface EntityTag {
  isWeak: boolean;
  opaque: string;
}

/** @returns the entity-tags that `If-Match` allows; undefined when it allows any, or is not there */
export function ifMatch(violations: Violations, request: HttpRequest): string[] | undefined {
  const header = request.headers['if-match'];
  if (header === undefined) return undefined;
  const tags = entityTags(String(header));
  if (tags === '*') return undefined;
  if (!tags) {
    violations.add(
      { header: 'If-Match' },
      'format',
      'If-Match must be "*" or a list of quoted entity tags, such as "3".',
    );
    return undefined;
  }
  // Strong comparison: a weak tag matches nothing.
  return tags.filter(({ isWeak }) => !isWeak).map(({ opaque }) => entityTag(opaque));
}

/**
 * @returns whether the client of a GET has the answer with a validator already; undefined when it says nothing
 *   of what it has, or nothing that can be read
 */
export function ifNoneMatch(request: HttpRequest): ((validator: string) => boolean) | undefined {
  const header = request.headers['if-none-match'];
  const tags = header === undefined ? undefined : entityTags(String(header));
  return tags && ((validator) => tags === '*' || tags.some(({ opaque }) => opaque === validator));
}

/** @returns undefined when the header is malformed */
function entityTags(header: string): EntityTag[] | '*' | undefined {
  if (header.trim() === '*') return '*';
  const tags: EntityTag[] = [];
  // No two runs of blanks side by side: matching stays linear in what a client sends.
  const element = /[ \t]*(?:(W\/)?"([\x21\x23-\x7E\x80-\u00FF]*)"[ \t]*)?(?:,|$)/y;
  while (element.lastIndex < header.length) {
    const match = element.exec(header);
    if (!match) return undefined;
    if (match[2] !== undefined) tags.push({ isWeak: match[1] !== undefined, opaque: match[2] });
  }
  return tags.length > 0 ? tags : undefined;
}
