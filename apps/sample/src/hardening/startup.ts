/**
 * An error that ends the process. Only its message is printed, because a stack would not help the person who has to
 * act.
 */
export class StartupError extends Error {}

/** Prints what is being done, and when it is done. */
export async function step(doing: string, work: () => Promise<unknown>): Promise<void> {
  process.stdout.write(`${doing} … `);
  await work().catch((error: unknown) => {
    console.log('failed');
    throw error;
  });
  console.log('done');
}

/** Prints why the process cannot start, and ends it. */
export function exitWithReason(error: unknown): never {
  console.error(error instanceof StartupError ? error.message : error);
  process.exit(1);
}
