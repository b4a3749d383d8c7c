/** Ends the process with its message alone: a person has to do something, and a stack would not help. */
export class StartupError extends Error {}

/** Says on the console what takes its time, and when it is done. */
export async function step<Result>(doing: string, work: () => Promise<Result>): Promise<Result> {
  process.stdout.write(`${doing} … `);
  let outcome = 'failed';
  try {
    const result = await work();
    outcome = 'done';
    return result;
  } finally {
    console.log(outcome);
  }
}
