/** The runner sets it. A file that is run by hand can be repeated with CAMPAIGN_SEED too. */
export const seed = Number(process.env['CAMPAIGN_SEED'] ?? Date.now() % 2 ** 31);

/** The size of an attack: small for a pull request, large for a night. */
export function sized(sizes: { ci: number; long: number }): number {
  return process.env['CAMPAIGN_SIZE'] === 'long' ? sizes.long : sizes.ci;
}
