/** We read the function at import, so that the services still work if a test replaces the timers later. */
export const soon = setImmediate;

/**
 * Waits for a promise, but no longer than this time. The work behind the promise goes on.
 * @returns the result of the promise; undefined when the time is over
 */
export async function withinMs<Result>(
  promise: Promise<Result>,
  timeoutMs: number,
): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
