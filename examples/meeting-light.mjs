/**
 * A light for the door of your office: a pat on the robot's head begins a meeting, with a red light and the time left on the screen; another pat, or
 * the end of its time, makes it green again. `node meeting-light.mjs [minutes]`; runs until it is stopped.
 */
import process from 'node:process';
import { clearTimeout, setTimeout } from 'node:timers';
import { theRobot } from './robot.mjs';

const minutes = Number(process.argv[2] ?? 30);
const robot = await theRobot();
let timer = null;

const { last_seq: after } = await robot.state();
await free();
for await (const event of robot.events({ names: ['pat'], after })) {
  if (event.name === 'gap') continue;
  await (timer === null ? begin() : free());
}

async function begin() {
  timer = setTimeout(() => void free(), minutes * 60_000);
  await robot.scene([
    { action: 'leds', color: 'red' },
    {
      action: 'show',
      title: 'In a meeting',
      countdown: { seconds: Math.ceil(minutes * 60), done: 'Nearly over' },
      note: 'Please do not disturb',
      color: 'red',
    },
  ]);
  console.log('in a meeting');
}

async function free() {
  clearTimeout(timer);
  timer = null;
  await robot.scene([
    { action: 'leds', color: 'green' },
    { action: 'show', icon: 'door-open', text: 'Come in', note: 'Pat my head when a meeting begins', color: 'green' },
  ]);
  console.log('free');
}
