/** A door-bell: a pat on the head or a tap on the screen rings, and asks the visitor who it is. Prints a line for each visitor; runs until it is stopped. */
import { theRobot } from './robot.mjs';

const robot = await theRobot();
const welcome = { title: 'Welcome', text: 'Tap me', note: 'or pat my head' };
await robot.show(welcome);
console.log('waiting');

// Ignores rings while the question is showing.
let rungUpTo = 0;
for await (const event of robot.events({ names: ['pat', 'tap'], after: 'now' })) {
  if (event.name === 'gap' || event.seq <= rungUpTo) continue;
  await robot.scene([
    { action: 'sound', notes: 'E5:350 C5:700', bell: true },
    { action: 'leds', effect: 'blink', color: 'yellow', seconds: 2 },
  ]);
  const { label } = await robot.menu({ title: 'Who is it?', items: ['📦 Parcel', '👋 Friend', '🏠 Neighbour', '❓ Other'], timeout_s: 20 });
  console.log(`${event.at} ${label ?? 'somebody'} is at the door`);
  rungUpTo = (await robot.state()).last_seq;
  await robot.show({ ...welcome, note: 'Just a moment!' });
}
