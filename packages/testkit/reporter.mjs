/**
 * Mocha's Spec, with the skipped tests and their reasons after the failures, what failed in a line each (`failed: title (reason)`), the files it is in with
 * their counts (`failed in: {file, passed, failed}`), and a last line that is exactly `N passed, N failed`.
 * JavaScript and outside `src`, so that it needs no build and nothing that reads TypeScript.
 */
import Mocha from 'mocha';

const { Base, Spec } = Mocha.reporters;
const skipReason = Symbol.for('perch.skipReason');

export default class Reporter extends Spec {
  skipped = [];
  files = new Map();

  constructor(runner, options) {
    super(runner, options);
    runner.on('pending', (test) => this.skipped.push(test));
    runner.on('pass', ({ file }) => this.count(file).passed++);
    runner.on('fail', ({ file }) => this.count(file).failed++);
  }

  count(file) {
    if (!this.files.has(file)) this.files.set(file, { file, passed: 0, failed: 0 });
    return this.files.get(file);
  }

  epilogue() {
    if (this.failures.length > 0) Base.list(this.failures);
    for (const test of this.skipped) Base.consoleLog(`skipped: ${test.fullTitle()} (${reasonOf(test)})`);
    for (const test of this.failures) Base.consoleLog(`failed: ${test.fullTitle()} (${inOneLine(test.err)})`);
    for (const counts of this.files.values()) if (counts.failed > 0) Base.consoleLog(`failed in: ${JSON.stringify(counts)}`);
    Base.consoleLog(`${this.stats.passes} passed, ${this.stats.failures} failed`);
  }
}

/** What went wrong and where, short enough to be repeated at the end of a long log. */
function inOneLine(error) {
  const text = String(error?.stack ?? error?.message ?? error).replaceAll(/\s+/g, ' ');
  return text.length > 600 ? `${text.slice(0, 599)}…` : text;
}

function reasonOf(test) {
  for (let at = test; at !== undefined && at !== null; at = at.parent) if (at[skipReason] !== undefined) return at[skipReason];
  return 'no reason given';
}
