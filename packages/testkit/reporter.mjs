/**
 * Mocha's Spec, with the skipped tests and their reasons after the failures, what failed in a line each (`failed: title (reason)`), and a last line
 * that is exactly `N passed, N failed`.
 * JavaScript and outside `src`, so that it needs no build and nothing that reads TypeScript.
 */
import Mocha from 'mocha';

const { Base, Spec } = Mocha.reporters;
const skipReason = Symbol.for('perch.skipReason');

export default class Reporter extends Spec {
  skipped = [];

  constructor(runner, options) {
    super(runner, options);
    runner.on('pending', (test) => this.skipped.push(test));
  }

  epilogue() {
    if (this.failures.length > 0) Base.list(this.failures);
    for (const test of this.skipped) Base.consoleLog(`skipped: ${test.fullTitle()} (${reasonOf(test)})`);
    for (const test of this.failures) Base.consoleLog(`failed: ${test.fullTitle()} (${inOneLine(test.err)})`);
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
