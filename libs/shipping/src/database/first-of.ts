/** @returns the result, or undefined when it does not come in time */
export async function firstOf<Result>(
  coming: Promise<Result>,
  maxWaitMs: number,
): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), maxWaitMs);
  });
  try {
    return await Promise.race([coming, patience]);
  } finally {
    clearTimeout(timer);
  }
}
