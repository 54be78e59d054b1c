import { writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonLine, welcomeText } from './announcement.js';
import { lanAddress, lanText, loopbackEnvironment } from './lan.js';
import { helpText, parseOptions, type StartOptions } from './options.js';
import type { ServiceName } from './service-process.js';

/** One press of Ctrl-C can arrive twice: from the terminal, and forwarded by npm. */
const samePressMs = 1000;
/** The deadlines of the parts add up to less. */
const endWithinMs = 9800;

function print(line: string): void {
  process.stderr.write(`perch: ${line}\n`);
}

function optionsOrExit(): StartOptions {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    print(error instanceof Error ? error.message : String(error));
    process.exit(2);
  }
}

function environmentOrExit(): NodeJS.ProcessEnv {
  if (options.lan === null) return loopbackEnvironment(process.env);
  try {
    lanAddress(givenAddress(options.lan));
    return process.env;
  } catch (error) {
    print(error instanceof Error ? error.message : String(error));
    process.exit(2);
  }
}

/** Null: it is chosen. */
function givenAddress(lan: string): string | null {
  return lan === 'chosen' ? null : lan;
}

const options = optionsOrExit();
if (options.help) {
  // Synchronous, because process.exit does not wait for a pipe.
  writeSync(1, helpText);
  process.exit(0);
}

// Loading it takes longer than all the rest of --help.
const { LocalSystem } = await import('./local-system.js');
const system = new LocalSystem({
  ...options,
  lan: options.lan === null ? null : { address: givenAddress(options.lan), https: options.https },
  stateDir: resolve(process.env['PERCH_STATE_DIR'] || fileURLToPath(new URL('../../../.perch', import.meta.url))),
  env: environmentOrExit(),
  print,
  log: (line) => process.stderr.write(`${line}\n`),
  onMove: (announcement) => {
    print('this machine has another address; robots that were installed with wss:// follow by themselves');
    if (!options.json) process.stdout.write(lanText(announcement.lan!));
  },
  onFailure: (reason) => {
    print(reason);
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
      print(error instanceof Error ? (error.stack ?? error.message) : String(error));
      process.exit(1);
    },
  );
}

function onSignal(): void {
  // A second signal exits at once; services and Redis stop by themselves when this process is gone.
  if (endBegan !== null && performance.now() - endBegan > samePressMs) process.exit(130);
  if (endBegan === null) print('stopping (press Ctrl-C again to stop at once)');
  end(0);
}
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
process.on('SIGHUP', onSignal);
if (process.connected) {
  process.once('disconnect', () => end(0));
  process.on('message', (message: { restart?: ServiceName[] }) => void restart(message.restart ?? []));
}
stopWithNpm();

try {
  const announcement = await system.start();
  const person = options.robot !== null ? options.person === 'answers' : null;
  const text = `${welcomeText(announcement, person)}${announcement.lan === null ? '' : lanText(announcement.lan)}`;
  process.stdout.write(options.json ? `${jsonLine(announcement)}\n` : text);
} catch (error) {
  if (endBegan === null) {
    print(error instanceof Error ? error.message : String(error));
    end(1);
  }
}

async function restart(services: ServiceName[]): Promise<void> {
  try {
    await system.restart(services);
    process.send?.({ restarted: services });
  } catch (error) {
    print(error instanceof Error ? error.message : String(error));
    process.send?.({ restarted: [] });
  }
}

/** npm that is killed sends no signal, but this process gets another parent. */
function stopWithNpm(): void {
  if (process.env['npm_lifecycle_event'] !== 'start') return;
  const npm = process.ppid;
  setInterval(() => {
    if (process.ppid !== npm) end(0);
  }, 1000).unref();
}
