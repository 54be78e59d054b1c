import type { Report } from './run.js';

export function summaryOf({ seed, requests, statuses, slowest, p99, slow, growth, violationCount, violations, tookS }: Report): string {
  const lines = [`seed ${seed}, ${tookS} s`];
  for (const [target, count] of Object.entries(requests)) {
    lines.push(`${target}: ${count} sent${p99[target] === undefined ? '' : `, p99 ${p99[target]} ms`}`);
    const ends = Object.entries(statuses[target] ?? {}).toSorted(([, a], [, b]) => b - a);
    for (const { ms, what } of slowest[target] ?? []) lines.push(`  ${ms} ms: ${what}`);
    lines.push(`  ${ends.map(([how, times]) => `${how}: ${times}`).join(', ')}`);
  }
  if (slow !== null) lines.push(`slow: ${JSON.stringify(slow)}`);
  lines.push(`after the warm-up: ${JSON.stringify(growth.warm)}`, `at the end:        ${JSON.stringify(growth.after)}`);
  for (const { target, what, request, answer, index } of violations) {
    lines.push('', `VIOLATION (${target}, ${index}) ${what}`);
    if (request !== '') lines.push(`  ${request}`);
    if (answer !== '') lines.push(`  -> ${answer}`);
  }
  lines.push('', `${violationCount} violations with seed ${seed}`);
  return lines.join('\n');
}
