/** @param late called if `work` takes longer than `ms`; what it returns or throws is the result @returns also rejects as `work` does */
export async function withinMs<T, L>(work: T | PromiseLike<T>, ms: number, late: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  try {
    return await Promise.race([work, elapsed.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
