/** `npm run robot`: a virtual robot with a simulated person, until Ctrl-C. Exit code 1: the service refused the token; 2: a setting is missing or wrong. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { linkUrlOf, Person, VirtualRobot } from '@perch/virtual-robot';

function print(line: string): void {
  process.stderr.write(`robot: ${line}\n`);
}

/** @throws {Error} */
function tokenOf(env: NodeJS.ProcessEnv): string {
  const { PERCH_ROBOT_TOKEN: token, PERCH_ROBOT_TOKEN_FILE: file } = env;
  if (token) return token;
  // npm runs scripts in the clone; a path is as the caller's shell means it.
  if (file) return readFileSync(resolve(env['INIT_CWD'] ?? '.', file), 'utf8').trim();
  throw new Error('PERCH_ROBOT_TOKEN and PERCH_ROBOT_TOKEN_FILE are not set. `perch robot add` prints a token');
}

/** @throws {Error} */
function urlOf(env: NodeJS.ProcessEnv): string {
  const url = env['PERCH_ROBOT_URL'];
  if (!url) throw new Error('PERCH_ROBOT_URL is not set. It is the address of a robot-link, or of the balancer in front: ws://127.0.0.1:8081');
  try {
    return linkUrlOf(url);
  } catch {
    throw new Error('PERCH_ROBOT_URL must be a ws, wss, http or https URL');
  }
}

function settingsOrExit(): { url: string; token: string } {
  try {
    return { url: urlOf(process.env), token: tokenOf(process.env) };
  } catch (error) {
    print((error as Error).message);
    process.exit(2);
  }
}

const settings = settingsOrExit();
const robot = new VirtualRobot(settings);
const person = new Person(robot);
let isEnding = false;
let state = 'not online yet';
robot.on('session', () => {
  state = 'no longer online';
  print(`online: ${settings.url}; a simulated person answers, Ctrl-C ends both`);
});
robot.on('closed', ({ code, reason, status, pair, retryMs }) => {
  if (isEnding) return;
  const refusal = pair ? 'the token is not valid' : 'refused with 401, and not as this release does: is a portal or a proxy in between?';
  const why = status === 401 ? refusal : String(status ?? (reason || `closed with code ${code}`));
  print(`${state}: ${settings.url}: ${why}${retryMs === null ? '' : `, next attempt in ${(retryMs / 1000).toFixed(1)} s`}`);
  if (retryMs !== null) return;
  person.stop();
  process.exitCode = 1;
});
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    isEnding = true;
    person.stop();
    void robot.stop();
  });
// `closed` reports why.
robot.start().catch(() => undefined);
