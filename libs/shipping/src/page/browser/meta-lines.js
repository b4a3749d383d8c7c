import { same } from './method.js';

function jsonOrText(value) {
  try {
    const read = JSON.parse(value);
    return typeof read === 'number' && String(read) !== value.trim() ? value : read;
  } catch {
    return value;
  }
}

/**
 * Returns `meta` as lines of `name: value`. A text that would be read as other JSON keeps its quotes. If lines
 * cannot show the value exactly, the whole value is shown as JSON.
 */
export function linesOf(meta) {
  const textOf = (value) => (typeof value === 'string' && same(jsonOrText(value), value) ? value : JSON.stringify(value));
  const lines = Object.entries(meta)
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join('\n');
  return same(metaOf(lines), meta) ? lines : JSON.stringify(meta);
}
export function metaOf(lines) {
  if (lines.startsWith('{')) return jsonOrText(lines);
  const written = lines.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  if (!written.every((line) => /^[^:]*[^\s:][^:]*:/.test(line))) return lines;
  const pairs = written.map((line) => line.trim().split(/ *: *(.*)/));
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) return lines;
  return Object.fromEntries(pairs.map(([name, value]) => [name, jsonOrText(value)]));
}
