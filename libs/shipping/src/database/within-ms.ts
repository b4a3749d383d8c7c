/** @returns the result, or undefined after this time. The promise itself goes on. */
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
