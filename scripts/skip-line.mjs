/** `skipped: 45 tests (42: the reason; 3: another reason)`. @param skips list of {reason, count}; a reason may occur more than once */
export function skipLine(skips) {
  const counts = new Map();
  for (const { reason, count } of skips) counts.set(reason, (counts.get(reason) ?? 0) + count);
  const sum = [...counts.values()].reduce((all, count) => all + count, 0);
  if (sum === 0) return [];
  const reasons = [...counts].toSorted(([, a], [, b]) => b - a).map(([reason, count]) => `${count}: ${reason.replaceAll(/\s+/g, ' ')}`);
  return [`skipped: ${sum} ${sum === 1 ? 'test' : 'tests'} (${reasons.join('; ')})`];
}

/** `left out: 23 files of long tests (npm test -- --long runs them)` @param files long tests that did not run */
export function leftOutLine(files) {
  if (files.length === 0) return [];
  return [`left out: ${files.length} ${files.length === 1 ? 'file' : 'files'} of long tests (npm test -- --long runs them)`];
}
