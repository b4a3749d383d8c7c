/** Ends the process with its message alone: a person has to do something, and a stack would not help. */
export class StartupError extends Error {}

/** Says on the console what takes its time, and when it is done. */
export async function step(doing: string, work: () => Promise<unknown>): Promise<void> {
  process.stdout.write(`${doing} … `);
  await work().catch((error: unknown) => {
    console.log('failed');
    throw error;
  });
  console.log('done');
}
