// The API's rules for texts. All lengths are Unicode code points, as `varchar(n)` counts them.

/** Codes are compared exactly, so characters that people cannot see are refused: controls and a space at the end. */
const codePattern = /^[\p{L}\p{Nd}_][\p{L}\p{M}\p{Nd}_ ()+\-./:@]*$/u;

/**
 * Returns a class of all characters except these ASCII characters, DEL, and [ \ ] ^ ` { | } ~, which no code may have.
 */
const exceptAscii = (ascii: string): string => String.raw`[^${ascii}\x5B-\x5E\x60\x7B-\x7F]`;
const first = exceptAscii(String.raw`\x00-\x2F\x3A-\x40`);
const inner = exceptAscii(String.raw`\x00-\x1F\x21-\x27\x2A\x2C\x3B-\x3F`);
const last = exceptAscii(String.raw`\x00-\x27\x2A\x2C\x3B-\x3F`);

/** The ASCII part of the rule for codes. Many tools compile a pattern without the flag `u`, which `\p{L}` needs. */
export const asciiCodePattern = new RegExp(`^${first}(${inner}*${last})?$`);

const forbiddenInLabels = /[\p{Cc}\u202A-\u202E]/u;
const nonAscii = /[^\0-\x7F]/;

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** @returns the number of code points; a UTF-16 length would count an emoji twice */
export function lengthOf(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

/**
 * A text that is longer than this is refused for its length alone. Nothing else reads it, because the time for
 * normalising grows with the square of the combining marks: 400,000 of them would block the process for 12 seconds. All
 * texts that are allowed are shorter.
 */
export const maxCheckedLength = 2048;

export function isCode(text: string): boolean {
  return codePattern.test(text) && !text.endsWith(' ') && text.normalize('NFC') === text;
}

/**
 * Trims a label and puts it into NFC, so that labels that look the same are the same. NFC joins at most four characters
 * into one. So a label beyond the bound is too long in NFC too, and stays as it is.
 */
export function normalisedLabel(label: string): string {
  const trimmed = label.trim();
  return trimmed.length > maxCheckedLength ? trimmed : trimmed.normalize('NFC');
}

export function isLabel(text: string): boolean {
  return text.isWellFormed() && !forbiddenInLabels.test(text);
}

/**
 * Returns the case-folded form of a text. Searches compare this form. Upper case turns `ß` into `SS`, but leaves `ẞ` as
 * it is, so lower case comes first. JavaScript writes a `Σ` at the end of a word as `ς`. In a folded text it is `σ`
 * everywhere.
 */
export function folded(text: string): string {
  if (!nonAscii.test(text)) return text.toLowerCase();
  const lower = text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase();
  return lower.replaceAll('ς', 'σ').normalize('NFC');
}

/**
 * Compares code points. JavaScript compares UTF-16 units, and has U+10000 and above before U+E000 to U+FFFF. Most texts
 * differ in one of their first characters, so this loop is faster than a check for surrogates.
 */
export function byCodePoint(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const unitOfA = a.charCodeAt(index);
    const unitOfB = b.charCodeAt(index);
    if (unitOfA !== unitOfB) return orderOf(unitOfA) - orderOf(unitOfB);
  }
  return a.length - b.length;
}

/** Moves the surrogates, of which U+10000 and above consist, behind U+E000 to U+FFFF. */
function orderOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2800 : unit;
}
