/** A quiz: three questions, a face for each answer, and the score. */
import { theRobot } from './robot.mjs';

const questions = [
  { question: 'Which planet has the most moons?', answers: ['Mars', 'Saturn', 'Venus'], right: 'Saturn' },
  { question: 'How many legs has a spider?', answers: ['6', '8', '10'], right: '8' },
  { question: 'What is frozen water?', answers: ['Ice', 'Steam'], right: 'Ice' },
];

const robot = await theRobot();
let score = 0;
for (const { question, answers, right } of questions) {
  const { outcome, answer } = await robot.ask({ question, answers, timeout_s: 20 });
  if (outcome === 'replaced') throw new Error('something else needs the robot');
  const correct = answer === right;
  if (correct) score++;
  console.log(`${question} ${answer ?? 'no answer'}: ${correct ? 'right' : `no, ${right}`}`);
  await robot.scene([
    { action: 'face', emotion: correct ? 'happy' : 'sad' },
    { action: 'move', gesture: correct ? 'nod' : 'shake' },
    { action: 'sound', chime: correct ? 'yes' : 'no' },
    { action: 'leds', effect: 'blink', color: correct ? 'green' : 'red', seconds: 1 },
  ]);
}
await robot.show({ title: 'Quiz', text: `${score} of ${questions.length}`, note: score === questions.length ? 'All right!' : 'Play again?' });
console.log(`score ${score}/${questions.length}`);
