/** Ends the process with only its message, because a person has to act and a stack would not help. */
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
