const rfc3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d)(?:\.(\d{1,9}))?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Reads an RFC 3339 time with its offset.
 * @returns the time in UTC, with three decimals or as many more as it needs; undefined when the text is not such a time
 */
export function utcTime(text: string): string | undefined {
  const parts = rfc3339.exec(text);
  if (!parts) return undefined;
  const [, year, month, day] = parts.map(Number) as [number, number, number, number];
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (year === 0 || month === 0 || month > 12 || day === 0 || day > daysInMonth) return undefined;
  const time = new Date(text.toUpperCase());
  // With an offset, the first or the last day may be in the year 0 or 10000, which RFC 3339 cannot write.
  if (time.getUTCFullYear() < 1 || time.getUTCFullYear() > 9999) return undefined;
  const moreDecimals = (parts[6] ?? '').slice(3).replace(/0+$/, '');
  return `${time.toISOString().slice(0, -1)}${moreDecimals}Z`;
}
