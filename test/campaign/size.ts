/** Set by the runner; a file run by hand replays with CAMPAIGN_SEED too. */
export const seed = Number(process.env['CAMPAIGN_SEED'] ?? Date.now() % 2 ** 31);

/** How much is done: what fits a pull request, or a night. */
export function sized(sizes: { ci: number; long: number }): number {
  return process.env['CAMPAIGN_SIZE'] === 'long' ? sizes.long : sizes.ci;
}
