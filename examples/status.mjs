/** Runs a command and shows at the robot how it goes: `node status.mjs 'npm test'`. Ends with the exit code of the command. */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setInterval } from 'node:timers/promises';
import { theRobot } from './robot.mjs';

const command = process.argv.slice(2).join(' ');
if (command === '') throw new Error("name a command: node status.mjs 'npm test'");
const robot = await theRobot();
const begunAt = Date.now();
const child = spawn(command, { shell: true, stdio: ['inherit', 'pipe', 'inherit'] });
const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));

let line = 'Started';
const lines = createInterface({ input: child.stdout });
lines.on('line', (text) => {
  console.log(text);
  if (text.trim() !== '') line = text.slice(0, 120);
});

const watching = new AbortController();
const shown = showProgress(watching.signal).catch(reportUnlessAborted);
const code = await ended;
watching.abort();
await shown;

const look = code === 0 ? { text: 'Done', icon: 'check', color: 'green' } : { text: 'Failed', icon: 'x', color: 'red' };
await robot
  .scene([
    { action: 'show', title: command, ...look, note: `${passed()}, ${code}` },
    { action: 'sound', chime: code === 0 ? 'done' : 'error' },
  ])
  .catch(reportUnlessAborted);
process.exitCode = typeof code === 'number' ? code : 1;

/** Shows the newest line of the command and the time it has taken, every two seconds. */
async function showProgress(signal) {
  await robot.show({ title: command, text: line, note: passed() });
  for await (const _ of setInterval(2000, null, { signal })) await robot.show({ title: command, text: line, note: passed() });
}

function passed() {
  return `${Math.round((Date.now() - begunAt) / 1000)} s`;
}

/** The command goes on without the robot. */
function reportUnlessAborted(error) {
  if (error.name !== 'AbortError') console.error(`The robot: ${error.message}`);
}
