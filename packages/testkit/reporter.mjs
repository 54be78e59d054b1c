/**
 * Mocha's Spec reporter, followed by one line each per skipped test with its reason (`skipped: title (reason)`), per failure (`failed: title (reason)`),
 * per reason for skips with its count (`skipped for: {reason, count}`) and per file with failures (`failed in: {file, passed, failed}`).
 * It also prints each file that took more than 30 s (`slow file: path, N s`), which is too long for a test file.
 * The last line is exactly `N passed, N failed`. JavaScript outside `src`, so that it needs no build.
 */
import { relative } from 'node:path';
import process from 'node:process';
import Mocha from 'mocha';

const { Base, Spec } = Mocha.reporters;
const skipReason = Symbol.for('perch.skipReason');
const slowFileMs = 30_000;

export default class Reporter extends Spec {
  skipped = [];
  files = new Map();
  /** Milliseconds by path of the file. */
  durations = new Map();

  constructor(runner, options) {
    super(runner, options);
    runner.on('pending', (test) => this.skipped.push(test));
    runner.on('pass', ({ file }) => this.count(file).passed++);
    runner.on('fail', ({ file }) => this.count(file).failed++);
    let startedAt = 0;
    runner.on('suite', ({ parent }) => {
      if (parent?.root === true) startedAt = performance.now();
    });
    runner.on('suite end', ({ parent, file }) => {
      if (parent?.root === true) this.durations.set(file, (this.durations.get(file) ?? 0) + performance.now() - startedAt);
    });
  }

  count(file) {
    if (!this.files.has(file)) this.files.set(file, { file, passed: 0, failed: 0 });
    return this.files.get(file);
  }

  epilogue() {
    if (this.failures.length > 0) Base.list(this.failures);
    for (const test of this.skipped) Base.consoleLog(`skipped: ${test.fullTitle()} (${reasonOf(test)})`);
    for (const [reason, count] of counted(this.skipped.map(reasonOf))) Base.consoleLog(`skipped for: ${JSON.stringify({ reason, count })}`);
    for (const [file, ms] of [...this.durations].toSorted(([, a], [, b]) => b - a)) {
      if (ms > slowFileMs) Base.consoleLog(`slow file: ${relative(process.cwd(), file)}, ${Math.round(ms / 1000)} s`);
    }
    for (const test of this.failures) Base.consoleLog(`failed: ${test.fullTitle()} (${inOneLine(test.err)})`);
    for (const counts of this.files.values()) if (counts.failed > 0) Base.consoleLog(`failed in: ${JSON.stringify(counts)}`);
    Base.consoleLog(`${this.stats.passes} passed, ${this.stats.failures} failed`);
  }
}

/** Returns each text with how often it occurs. */
function counted(texts) {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Returns the error and its location in one line, short enough to be repeated at the end of a long log. */
function inOneLine(error) {
  const text = String(error?.stack ?? error?.message ?? error).replaceAll(/\s+/g, ' ');
  return text.length > 600 ? `${text.slice(0, 599)}…` : text;
}

function reasonOf(test) {
  for (let at = test; at !== undefined && at !== null; at = at.parent) if (at[skipReason] !== undefined) return at[skipReason];
  return 'no reason given';
}
