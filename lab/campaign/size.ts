/** The runner sets it. A file that is run by hand can be repeated with CAMPAIGN_SEED too. */
export const seed = Number(process.env['CAMPAIGN_SEED'] ?? Date.now() % 2 ** 31);

export const isLong = process.env['CAMPAIGN_SIZE'] === 'long';

/** The size of an attack: small for a pull request, large for a night. */
export function sized(sizes: { ci: number; long: number }): number {
  return isLong ? sizes.long : sizes.ci;
}
