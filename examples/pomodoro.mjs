/** A pomodoro: `node pomodoro.mjs [work minutes] [break minutes]`, repeated until the person stops it. */
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { theRobot } from './robot.mjs';

const [workMin = 25, breakMin = 5] = process.argv.slice(2).map(Number);
const robot = await theRobot();

for (let round = 1; ; round++) {
  await robot.sound({ chime: 'start' });
  await countDown(`Round ${round}`, workMin, 'blue');
  await robot.sound({ chime: 'done' });
  await countDown('Break', breakMin, 'green');
  await robot.sound({ chime: 'break_over' });
  const { answer } = await robot.ask({ question: 'Another round?', answers: ['Yes', 'No'], timeout_s: 60 });
  if (answer !== 'Yes') break;
}
await robot.show({ clear: true });
await robot.say({ text: 'Well done!' });

/** Shows the time left, on the screen and as a bar of LEDs. */
async function countDown(title, minutes, color) {
  console.log(`${title}: ${minutes} min`);
  const wholeMs = minutes * 60_000;
  const endsAt = performance.now() + wholeMs;
  for (let leftMs = wholeMs; leftMs > 0; leftMs = endsAt - performance.now()) {
    const left = leftMs / wholeMs;
    await robot.show({ title, color, text: `${Math.ceil(leftMs / 60_000)} min`, progress: 1 - left });
    await robot.leds({ bar: left, color });
    await sleep(Math.min(leftMs, 10_000));
  }
  await robot.leds({ off: true });
}
