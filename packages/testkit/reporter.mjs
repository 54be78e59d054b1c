/**
 * Mocha's Spec, with the skipped tests and their reasons after the failures, and a last line that is exactly `N passed, N failed`.
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
    Base.consoleLog(`${this.stats.passes} passed, ${this.stats.failures} failed`);
  }
}

function reasonOf(test) {
  for (let at = test; at !== undefined && at !== null; at = at.parent) if (at[skipReason] !== undefined) return at[skipReason];
  return 'no reason given';
}
