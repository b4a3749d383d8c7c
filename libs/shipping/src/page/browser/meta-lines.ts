/** Compares two JSON values. */
export const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** How the list shows yes and no. */
const signs = new Map([
  ['✓', true],
  ['✗', false],
]);

function jsonOrText(value: string): unknown {
  if (signs.has(value)) return signs.get(value);
  try {
    const read: unknown = JSON.parse(value);
    return typeof read === 'number' && String(read) !== value.trim() ? value : read;
  } catch {
    return value;
  }
}

/**
 * Returns `meta` as lines of `name: value`. The further lines of a text begin with two blanks. A text that would be read
 * as other JSON keeps its quotes. If lines cannot show the value exactly, the whole value is shown as JSON.
 */
export function linesOf(meta: object): string {
  const isPlain = (value: unknown): value is string =>
    typeof value === 'string' && !/^\s|\s$|\r/.test(value) && same(jsonOrText(value), value);
  const textOf = (value: unknown): string =>
    isPlain(value) ? value.replaceAll('\n', '\n  ') : JSON.stringify(value);
  const lines = Object.entries(meta)
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join('\n');
  return same(metaOf(lines), meta) ? lines : JSON.stringify(meta);
}

/**
 * Returns the number of the first line because of which `metaOf` returns a text as it is, and the name that this line
 * repeats, if it does.
 */
export function faultyLine(text: string): { line: number; repeated: string | undefined } {
  const lines = text.split(/\r\n|[\r\n]/);
  const before = (index: number): string => lines.slice(0, index).join('\n');
  const index = lines.findIndex((_, each) => typeof metaOf(before(each + 1)) === 'string');
  const [, name = ''] = /^\s*([^:]*?) *:/.exec(lines[index] ?? '') ?? [];
  const isRepeated = Object.hasOwn(Object(metaOf(before(index))) as object, name);
  return { line: index + 1, repeated: isRepeated ? name : undefined };
}

/** Reads lines of `name: value`. Other lines are returned as they are, and the API refuses the text. */
export function metaOf(lines: string): unknown {
  if (lines.startsWith('{')) return jsonOrText(lines);
  const written = lines
    .replaceAll('\r\n', '\n')
    .split(/[\r\n]+(?! {2})/)
    .filter((line) => line.trim() !== '');
  if (!written.every((line) => /^[^:]*[^\s:][^:]*:/.test(line))) return lines;
  const pairs = written.map((line) => line.trim().split(/ *: *(.*)/s));
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) return lines;
  return Object.fromEntries(
    pairs.map(([name, value = '']) => [name, jsonOrText(value.replaceAll('\n  ', '\n'))]),
  );
}
