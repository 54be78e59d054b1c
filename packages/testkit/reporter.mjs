/**
 * Mocha's Spec reporter, or with PERCH_TEST_TITLES=0 its failures alone, and lines for scripts/mocha.mjs: at the end of each suite of a file its duration
 * and the processor time of mocha and of the processes below it (`took: {file, ms, cpuMs}`), as a test fails `failing: title (reason)`; at the end one
 * line each per skipped test (`skipped: title (reason)`), per reason for skips with its count (`skipped for: {reason, count}`), and two per failure
 * (`failed in: {file, title}` and `failed: title (reason)`).
 * The last line is exactly `N passed, N failed`, unless a mocha that was started by scripts/mocha.mjs does not exit: then it says what is open. JavaScript outside `src`, so that it needs no build.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';
import Mocha from 'mocha';

const { Base, Spec } = Mocha.reporters;
const skipReason = Symbol.for('perch.skipReason');

const printsTitles = process.env.PERCH_TEST_TITLES !== '0';

export default class Reporter extends (printsTitles ? Spec : Base) {
  skipped = [];

  constructor(runner, options) {
    super(runner, options);
    runner.on('pending', (test) => this.skipped.push(test));
    if (!printsTitles)
      runner.on('fail', (test, error) => Base.consoleLog(`failing: ${test.fullTitle().replaceAll(/\s+/g, ' ')} (${inOneLine(error)})`));
    if (!printsTitles) runner.once('end', () => this.epilogue());
    let startedAt = 0;
    let processorMsAtStart = 0;
    runner.on('suite', ({ parent }) => {
      if (parent?.root !== true) return;
      startedAt = performance.now();
      processorMsAtStart = processorMs();
    });
    runner.on('suite end', ({ parent, file }) => {
      if (parent?.root !== true) return;
      const took = {
        file: relative(process.cwd(), file ?? ''),
        ms: Math.round(performance.now() - startedAt),
        cpuMs: Math.round(processorMs() - processorMsAtStart),
      };
      Base.consoleLog(`took: ${JSON.stringify(took)}`);
    });
  }

  epilogue() {
    if (this.failures.length > 0) Base.list(this.failures);
    if (printsTitles) for (const test of this.skipped) Base.consoleLog(`skipped: ${test.fullTitle()} (${reasonOf(test)})`);
    for (const [reason, count] of counted(this.skipped.map(reasonOf))) Base.consoleLog(`skipped for: ${JSON.stringify({ reason, count })}`);
    for (const test of this.failures) {
      Base.consoleLog(`failed in: ${JSON.stringify({ file: test.file ?? null, title: test.fullTitle() })}`);
      Base.consoleLog(`failed: ${test.fullTitle()} (${inOneLine(test.err)})`);
    }
    Base.consoleLog(`${this.stats.passes} passed, ${this.stats.failures} failed`);
    const exitMs = Number(process.env.PERCH_TEST_EXIT_MS ?? 0);
    // The run's parent kills a mocha that a leaked handle keeps alive. The timer itself does not keep it alive.
    if (exitMs > 0) setTimeout(() => Base.consoleLog(`still open: ${openHandles()}`), exitMs * 0.75).unref();
  }
}

/** Names what keeps this process alive, with the addresses of sockets and the commands of child processes. */
function openHandles() {
  const detailed = process._getActiveHandles().map((handle) => {
    const name = handle?.constructor?.name ?? 'handle';
    if (handle.spawnargs !== undefined) return `${name} ${handle.spawnargs.slice(-2).join(' ')}`;
    if (handle.remotePort !== undefined) return `${name} to ${handle.remoteAddress}:${handle.remotePort}`;
    if (typeof handle.address === 'function') return `${name} ${JSON.stringify(handle.address())}`;
    return name;
  });
  const counts = counted([...detailed, ...process.getActiveResourcesInfo()]);
  return [...counts].map(([what, count]) => (count === 1 ? what : `${count} x ${what}`)).join(', ');
}

function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrenMs();
}

/** Running processes count too: tests of several files may share services. */
function childrenMs() {
  const processes = new Map(pids().map((pid) => [pid, timesOf(pid)]));
  const below = (parent) => [...processes].flatMap(([pid, times]) => (times?.parent === parent ? [times, ...below(pid)] : []));
  return below(process.pid).reduce((all, { ownMs, endedMs }) => all + ownMs + endedMs, timesOf(process.pid)?.endedMs ?? 0);
}

function pids() {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0);
  } catch {
    return [];
  }
}

/** Returns null if there is no such process, or no /proc. */
function timesOf(pid) {
  try {
    // The second field, the name in parentheses, may contain spaces. The 14th to 17th are in units of 10 ms.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ').map(Number);
    return { parent: fields[1], ownMs: (fields[11] + fields[12]) * 10, endedMs: (fields[13] + fields[14]) * 10 };
  } catch {
    return null;
  }
}

function counted(texts) {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Characters of a failure's message and of its stack in the line at the end of a long log. */
const messageMax = 600;
const stackMax = 200;

/** A long message is cut in its middle: an assertion names what failed at its start, and the values that differ often at its end. */
function inOneLine(error) {
  const text = String(error?.stack ?? error?.message ?? error);
  const stackAt = text.search(/\n\s+at /);
  const [message, stack] = (stackAt < 0 ? [text, ''] : [text.slice(0, stackAt), text.slice(stackAt)]).map((part) =>
    part.replaceAll(/\s+/g, ' ').trim(),
  );
  const half = messageMax / 2;
  const shown = message.length > messageMax ? `${message.slice(0, half)} … ${message.slice(-half)}` : message;
  if (stack === '') return shown;
  return `${shown} ${stack.length > stackMax ? `${stack.slice(0, stackMax)}…` : stack}`;
}

function reasonOf(test) {
  for (let at = test; at !== undefined && at !== null; at = at.parent) if (at[skipReason] !== undefined) return at[skipReason];
  return 'no reason given';
}
