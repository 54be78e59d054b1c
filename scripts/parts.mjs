/**
 * Runs named parts: commands whose last line is `N passed, N failed`, or others, each of which counts as one test by its exit code.
 * A part has a limit of three times what it was measured to take; reaching it ends the part and counts as one failure. A part that does not run, prints
 * no counts or ends with an exit code although nothing failed is a failure, too. At the end each part is printed with its duration and counts; the last line is `N passed, N failed`, the sum of all.
 */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './set-up.mjs';

/** How long a part may take to end after SIGTERM. */
const endMs = 10_000;
const counts = /^(\d+) passed, (\d+) failed$/;
/** Lines that are printed again at the end. */
const repeated = /^(?:failed: |again, alone: |known: |skipped: \d+ tests? \()/;

/** @returns {Promise<string | null>} */
const prepareNothing = async () => null;

/**
 * @param parts a list of {name, title, seconds, command, env}: `seconds` is the measured duration; `env` (optional) is added to this process's
 *   environment, or a function that returns the whole environment; `reports` is the number of lines at the end of the output of a command without counts
 *   that are printed again
 * @param args names of parts, each alone or after `--only`, or `--list`
 * @param options.atATime how many parts run at a time, in the order of the list; with more than one, lines begin with the name of their part
 * @param options.prepare runs before the parts; what it returns, unless null, names a step that failed, and no part runs
 * @returns the exit code
 */
export async function runParts(parts, args, { atATime = 1, prepare = prepareNothing } = {}) {
  const chosen = [];
  for (let i = 0; i < args.length; i += 1) {
    if (args[i] === '--list') {
      for (const { name, title, seconds } of parts) print(`${name.padEnd(20)} ${String(seconds).padStart(5)} s  ${title}`);
      return 0;
    }
    const part = parts.find(({ name }) => name === (args[i] === '--only' ? args[(i += 1)] : args[i]));
    if (part === undefined) {
      process.stderr.write(`${args[i]}: no such part; there are ${parts.map(({ name }) => name).join(', ')}\n`);
      return 64;
    }
    chosen.push(part);
  }
  const failedStep = await prepare();
  if (failedStep !== null) {
    print(`failed: set-up: ${failedStep}`);
    print('0 passed, 1 failed');
    return 1;
  }
  const running = chosen.length === 0 ? parts : chosen;
  const queue = [...running];
  const lanes = Math.min(atATime, queue.length);
  const results = new Map();
  const runNext = async () => {
    for (let part; (part = queue.shift()) !== undefined;) {
      print(`== ${part.name}: ${part.title}`);
      const start = lanes > 1 ? `${part.name}: ` : '';
      results.set(part, await runPart(part, (line) => print(`${start}${line}`)));
    }
  };
  await Promise.all(Array.from({ length: lanes }, runNext));
  print('');
  for (const part of running) {
    const { passed, failed, seconds, lines } = results.get(part);
    print(`== ${part.name}: ${passed} passed, ${failed} failed, ${seconds} s of at most ${limitOf(part)} s`);
    for (const line of lines) print(line);
  }
  const sum = (of) => [...results.values()].reduce((all, result) => all + result[of], 0);
  print(`${sum('passed')} passed, ${sum('failed')} failed`);
  return sum('failed') === 0 ? 0 : 1;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

const limitOf = ({ seconds }) => 3 * seconds;

async function runPart(part, print) {
  const began = performance.now();
  const env = typeof part.env === 'function' ? part.env() : { ...process.env, ...part.env };
  const child = spawn(part.command[0], part.command.slice(1), { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code: code ?? signal }));
    child.once('error', ({ message }) => resolve({ trouble: `could not be started: ${message}` }));
  });
  const lines = [];
  let last = '';
  createInterface({ input: child.stdout }).on('line', (line) => {
    last = line;
    if (part.reports !== undefined) {
      lines.push(line);
      if (lines.length > part.reports) lines.shift();
    } else if (repeated.test(line)) return lines.push(line);
    if (part.reports !== undefined || !counts.test(line)) print(line);
  });
  const limit = new AbortController();
  const state = await Promise.race([
    ended,
    sleep(limitOf(part) * 1000, { trouble: `had not ended after ${limitOf(part)} s, three times its measured duration` }, { signal: limit.signal }),
  ]);
  limit.abort();
  if (state.trouble !== undefined && child.pid !== undefined) await end(child, ended);
  const seconds = Math.round((performance.now() - began) / 1000);
  if (part.reports !== undefined) {
    const trouble = state.trouble ?? (state.code === 0 ? null : `ended with ${state.code}`);
    return trouble === null
      ? { passed: 1, failed: 0, seconds, lines }
      : { passed: 0, failed: 1, seconds, lines: [...lines, `failed: the part ${part.name} ${trouble}`] };
  }
  const [, passed = 0, failed = 0] = (counts.exec(last) ?? []).map(Number);
  const trouble =
    state.trouble ??
    (counts.test(last) ? null : `printed no counts (${state.code})`) ??
    (state.code !== 0 && failed === 0 ? `ended with ${state.code}, although nothing failed` : null) ??
    (passed + failed === 0 ? 'ran nothing' : null);
  if (trouble === null) return { passed, failed, seconds, lines };
  return { passed, failed: failed + 1, seconds, lines: [...lines, `failed: the part ${part.name} ${trouble}`] };
}

/** Signals go to the process group of the part. */
async function end(child, ended) {
  for (const signal of ['SIGTERM', 'SIGKILL']) {
    try {
      process.kill(-child.pid, signal);
    } catch {
      return;
    }
    await Promise.race([ended, sleep(endMs, undefined, { ref: false })]);
  }
}
