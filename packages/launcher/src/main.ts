/** `npm start -- [options]`: starts the local system, says where it is, and ends it. */
import { writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonLine, welcomeText } from './announcement.js';
import { LocalSystem } from './local-system.js';
import { helpText, parseOptions, type StartOptions } from './options.js';
import type { ServiceName } from './service-process.js';

/** One press of Ctrl-C may arrive twice: from the terminal, and passed on by npm. */
const samePressMs = 1000;
/** The parts' own deadlines add up to less; this is for what nobody thought of. */
const endWithinMs = 9800;

function say(line: string): void {
  process.stderr.write(`perch: ${line}\n`);
}

function optionsOrExit(): StartOptions {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exit(2);
  }
}

const options = optionsOrExit();
if (options.help) {
  // Synchronously: exit does not wait for a pipe.
  writeSync(1, helpText);
  process.exit(0);
}

const system = new LocalSystem({
  ...options,
  stateDir: resolve(process.env['PERCH_STATE_DIR'] || fileURLToPath(new URL('../../../.perch', import.meta.url))),
  env: process.env,
  say,
  log: (line) => process.stderr.write(`${line}\n`),
  onFailure: (reason) => {
    say(reason);
    end(1);
  },
});

let endBegan: number | null = null;
function end(code: number): void {
  if (endBegan !== null) return;
  endBegan = performance.now();
  setTimeout(() => process.exit(1), endWithinMs).unref();
  void system.stop().then(
    () => process.exit(code),
    (error: unknown) => {
      say(error instanceof Error ? (error.stack ?? error.message) : String(error));
      process.exit(1);
    },
  );
}

function onSignal(): void {
  // Whoever asks twice means now: services and Redis end by themselves when we are gone.
  if (endBegan !== null && performance.now() - endBegan > samePressMs) process.exit(130);
  if (endBegan === null) say('ending (again to end at once)');
  end(0);
}
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
process.on('SIGHUP', onSignal);
if (process.connected) {
  process.once('disconnect', () => end(0));
  process.on('message', (message: { restart?: ServiceName[] }) => void restart(message.restart ?? []));
}
endWithNpm();

try {
  const announcement = await system.start();
  const person = options.robot ? options.person === 'answers' : null;
  process.stdout.write(options.json ? `${jsonLine(announcement)}\n` : welcomeText(announcement, person));
} catch (error) {
  if (endBegan === null) {
    say(error instanceof Error ? error.message : String(error));
    end(1);
  }
}

/** Restarts services for `npm run dev`, and replies when they are ready. */
async function restart(services: ServiceName[]): Promise<void> {
  try {
    await system.restart(services);
    process.send?.({ restarted: services });
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.send?.({ restarted: [] });
  }
}

/** npm that is killed outright tells nobody; its child then has another parent. */
function endWithNpm(): void {
  if (process.env['npm_lifecycle_event'] !== 'start') return;
  const npm = process.ppid;
  setInterval(() => {
    if (process.ppid !== npm) end(0);
  }, 1000).unref();
}
