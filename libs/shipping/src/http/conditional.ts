import { type Violations } from '../validation/violations.js';

// Conditional requests, RFC 9110 section 13.

const entityTag = /(?:W\/)?"[\x21\x23-\x7E\x80-\u00FF]*"/;
const onlyEntityTag = new RegExp(`^${entityTag.source}$`);

export function isEntityTag(value: unknown): boolean {
  return typeof value === 'string' && onlyEntityTag.test(value);
}

/** @returns the entity tags that `If-Match` allows; undefined when it allows any, or is missing */
export function ifMatch(violations: Violations, header = '*'): string[] | undefined {
  const tags = entityTags(header);
  // The comparison is strong: the ETag of a method is never weak, so a weak tag is equal to none.
  if (tags) return tags === '*' ? undefined : tags;
  const detail = 'If-Match must be "*" or a list of quoted entity tags, such as "3".';
  violations.at({ header: 'If-Match' })('format', detail);
  return undefined;
}

/**
 * @returns whether `If-None-Match` says that the client has the response with this ETag; a malformed header matches
 *   nothing
 */
export function ifNoneMatch(header: string | undefined, etag: string): boolean {
  const tags = entityTags(header ?? '');
  if (tags === '*') return true;
  // Weak comparison: the mark of a weak tag does not count.
  return tags?.some((tag) => opaqueOf(tag) === opaqueOf(etag)) ?? false;
}

function opaqueOf(etag: string): string {
  return etag.replace(/^W\//, '');
}

/** @returns undefined when the header is malformed or empty */
function entityTags(header: string): string[] | '*' | undefined {
  if (header.trim() === '*') return '*';
  const tags: string[] = [];
  // No two `[ \t]*` are adjacent, so the time for a match grows only linearly with the header.
  const element = new RegExp(`[ \\t]*(?:(${entityTag.source})[ \\t]*)?(?:,|$)`, 'y');
  while (element.lastIndex < header.length) {
    const match = element.exec(header);
    if (!match) return undefined;
    if (match[1] !== undefined) tags.push(match[1]);
  }
  return tags.length > 0 ? tags : undefined;
}
