/** Pig, a dice game: tap the left half to roll, the right half to keep your points. A 1 loses the round; the first with 20 points (or `node dice.mjs POINTS`) wins. */
import process from 'node:process';
import { theRobot } from './robot.mjs';

const goal = Number(process.argv[2] ?? 20);
const faces = ['⚀', '⚁', '⚂', '⚃', '⚄', '⚅'];
const halves = [
  { id: 'roll', rect: [0, 0, 160, 240] },
  { id: 'keep', rect: [160, 0, 160, 240] },
];

const robot = await theRobot();
const points = { You: 0, Robot: 0 };
for (let player = 'You'; ; player = player === 'You' ? 'Robot' : 'You') {
  points[player] += await round(player);
  console.log(`${player}: ${points[player]}`);
  if (points[player] >= goal) {
    await robot.sound({ chime: player === 'You' ? 'tada' : 'no' });
    await robot.show({ title: 'Pig', text: `${player} won`, note: `You ${points.You} · Robot ${points.Robot}` });
    console.log(`${player} won`);
    break;
  }
}

/** Rolls until the player keeps or loses the points of the round. Returns them. */
async function round(player) {
  for (let sum = 0, last = '🎲'; ;) {
    const note = player === 'You' ? 'left: roll · right: keep' : 'my turn';
    await robot.show({ title: `${player} ${points[player]} + ${sum}`, text: last, note });
    if (sum > 0 && (player === 'Robot' ? sum >= 8 : await keeps())) return sum;
    const roll = 1 + Math.floor(Math.random() * 6);
    if (roll === 1) return 0;
    sum += roll;
    last = faces[roll - 1];
  }
}

/** Returns whether the person keeps the points. No tap means yes. */
async function keeps() {
  const { outcome, region } = await robot.clickmap({ regions: halves, timeout_s: 30 });
  if (outcome === 'replaced') throw new Error('something else needs the robot');
  return region !== 'roll';
}
