/**
 * Tests that fail now and then, and that cannot be mended now. They still run; their failures are counted apart, as `known: N`, and named with the reason.
 * `.ci/run` passes with them for 30 days; then `npm run nightly` and a release refuse the entry.
 */
export const knownFailures = [
  // { file: 'tools/load/test/histogram.test.ts', title: 'the whole title, with that of its suites', reason: 'why it fails and stays', since: '2026-11-29' },
];

const entriesMax = 5;
const daysMax = 30;
/** Tests of the interface, of tenants, of security, of chaos and of upgrades are not listed: a failure of theirs is never waited out. */
const refused =
  /^(?:clients|services|test-e2e\/(?:scenarios|systems)|packages\/(?:client|runtime|schema|store)|tools\/(?:chaos|chart|fuzz|rolling))\//;

/** @returns the entry of a test, or undefined */
export const knownFailure = ({ file, title }) => knownFailures.find((entry) => entry.file === file && entry.title === title);

/** @param today `YYYY-MM-DD`; without it, entries may have any age @returns a sentence for each problem of the list */
export function problemsOfKnown(entries = knownFailures, today = null) {
  const tooMany = entries.length > entriesMax ? [`there are ${entries.length} known failures; at most ${entriesMax} may be listed`] : [];
  return [...tooMany, ...entries.flatMap(({ file, title, reason, since }) => problemOf(file, title, reason, since, today))];
}

function problemOf(file, title, reason, since, today) {
  if ([file, title, reason].some((text) => typeof text !== 'string' || text === '')) return [`${file}: an entry needs file, title and reason`];
  if (!/^\d{4}-\d\d-\d\d$/.test(since) || Number.isNaN(Date.parse(since))) return [`${file}: since is ${since}, and must be a date as 2026-11-29`];
  if (refused.test(file)) return [`${file}: a test of the interface, tenants, security, chaos or upgrades must not be listed`];
  const days = today === null ? 0 : (Date.parse(today) - Date.parse(since)) / 86_400_000;
  return days > daysMax ? [`${file}: "${title}" has been a known failure for ${days} days; mend it, or remove it with the test's guarantee`] : [];
}
