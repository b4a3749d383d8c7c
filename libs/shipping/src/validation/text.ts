// The API's rules for texts. All lengths are Unicode code points, as `varchar(n)` counts them.

/**
 * The characters that people can see. Default-ignorable characters are in these categories, too, but have no shape:
 * U+FE0F, for instance, is a mark, and U+3164 is a letter. U+2800 is a pattern of Braille without a dot.
 */
const visible = String.raw`(?![\p{DI}\u2800])[\p{L}\p{M}\p{N}\p{P}\p{S}]`;

/** A space must have a visible character on both sides. */
const refusedInCodes = new RegExp(String.raw`^(?:$|\p{M})|(?<=^| ) | $|(?!${visible}| ).`, 'su');

/** The ASCII part of the rule for codes. Many tools compile a pattern without the flag `u`, which `\p{L}` needs. */
export const asciiCodePattern = new RegExp(String.raw`^[^\x00-\x20\x7F]+( [^\x00-\x20\x7F]+)*$`);

/** The form of project ids and order ids. The host decides what they are. */
export const identifierPattern = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}$/;

const forbiddenInLabels = /[\p{Cc}\u202A-\u202E]/u;
const visibleCharacter = new RegExp(visible, 'u');
const nonAscii = /[^\0-\x7F]/;

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** @returns the number of code points; a UTF-16 length would count an emoji twice */
export function lengthOf(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

/**
 * Tells whether a text is too long even in NFC, which joins at most four characters into one. A character has at most
 * two UTF-16 units. Such a text is refused for its length alone. Nothing else reads it, because the time for normalising
 * grows with the square of the combining marks: 400,000 of them would block the process for 12 seconds.
 * @param max in code points
 */
export function isFarTooLong(text: string, max: number): boolean {
  return text.length > 8 * max;
}

export function isCode(text: string): boolean {
  // Nearly all codes are ASCII, and this pattern is much faster.
  if (!nonAscii.test(text)) return asciiCodePattern.test(text);
  return !refusedInCodes.test(text) && isNfc(text);
}

function isNfc(text: string): boolean {
  return text.normalize('NFC') === text;
}

/**
 * Names the first character because of which a text is not a code: `U+FEFF at position 1`. The number helps people, who
 * may not see the character.
 */
export function refusedCharacter(text: string): string {
  const characters = Array.from(text);
  let accepted = 0;
  let end = lengthOf(text.slice(0, refusedInCodes.exec(text)?.index));
  // Every part of a text in NFC is in NFC, too. So the longest beginning in NFC can be found by bisection.
  while (accepted < end) {
    const middle = Math.ceil((accepted + end) / 2);
    if (isNfc(characters.slice(0, middle).join(''))) accepted = middle;
    else end = middle - 1;
  }
  const codePoint = characters[accepted]?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return `U+${codePoint} at position ${accepted + 1}`;
}

/**
 * Trims a label and puts it into NFC, so that labels that look the same are the same.
 * @param max in code points
 */
export function normalisedLabel(label: string, max: number): string {
  const trimmed = label.trim();
  return isFarTooLong(trimmed, max) ? trimmed : trimmed.normalize('NFC');
}

export function isLabel(text: string): boolean {
  return (
    text.isWellFormed() &&
    !forbiddenInLabels.test(text) &&
    visibleCharacter.test(text) &&
    closesIsolates(text)
  );
}

/** An isolate that is not closed would change the direction of the text after the label. */
function closesIsolates(text: string): boolean {
  let open = 0;
  for (const [isolate] of text.matchAll(/[\u2066-\u2069]/g))
    open = isolate === '\u2069' ? Math.max(open - 1, 0) : open + 1;
  return open === 0;
}

/**
 * Small letters that have no decomposition, and the letters that people type for them. JavaScript writes a `Σ` at the
 * end of a word as `ς`.
 */
const plainLetters: Readonly<Record<string, string>> = { ł: 'l', đ: 'd', ø: 'o', ς: 'σ' };

/**
 * Returns the form of a text that searches compare: in lower case, and without accents. Upper case turns `ß` into `SS`
 * and `ı` into `I`, but leaves `ẞ` as it is, so lower case comes first.
 */
export function folded(text: string): string {
  if (!nonAscii.test(text)) return text.toLowerCase();
  const lower = text.normalize('NFD').toLowerCase().toUpperCase().toLowerCase();
  return lower.replace(/[\u0300-\u036Fłđøς]/g, (character) => plainLetters[character] ?? '').normalize('NFC');
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
