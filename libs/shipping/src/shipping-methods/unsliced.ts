/** Returns a copy for a cache. Without it, V8 may keep a whole URL in memory, because the text is a part of the URL. */
export function unsliced(text: string): string {
  return Buffer.from(text).toString();
}
