/** Writes docs/images/screens.png from the running service. Run after a build: node --import tsx --conditions=source test-e2e/programs/screens.ts */
import { writeFile } from 'node:fs/promises';
import { createCanvas, loadImage } from 'canvas';
import { SystemUnderTest } from '../fixture/system/system-under-test.js';

const system = await SystemUnderTest.open({ gateways: 1, links: 1, renderers: 1 });
try {
  const tenant = await system.tenant();
  const { id, robot } = await tenant.robot();
  const api = tenant.api();
  const pictures: Uint8Array[] = [];

  const ask = api.act(id, 'ask', { question: 'Deploy to production?', answers: ['✅ Go', '✋ Wait'], timeout_s: 60 });
  await robot.until((r) => r.screen.question !== null);
  pictures.push(robot.screen.question!.picture);
  const before = robot.screen.question!.id;
  const menu = api.act(id, 'menu', {
    title: 'Lunch',
    items: ['🍕 Pizza', '🥗 Salad', '🍜 Ramen', '🍣 Sushi', '🌮 Tacos', '🥪 Sandwich'],
    timeout_s: 60,
  });
  await robot.until((r) => r.screen.question !== null && r.screen.question.id !== before);
  pictures.push(robot.screen.question!.picture);
  await api.act(id, 'show', { title: 'Build', text: '42 %', note: 'main · 3 min left', progress: 0.42 });
  pictures.push(robot.screen.card!.picture);
  await robot.stop();
  void Promise.allSettled([ask, menu]);

  const gap = 16;
  const canvas = createCanvas(3 * 320 + 4 * gap, 240 + 2 * gap);
  const context = canvas.getContext('2d');
  context.fillStyle = '#d8dbe2';
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const [i, bytes] of pictures.entries()) context.drawImage(await loadImage(Buffer.from(bytes)), gap + i * (320 + gap), gap);
  await writeFile(new URL('../../docs/images/screens.png', import.meta.url), canvas.toBuffer('image/png'));
} finally {
  await system.close();
}
process.exit();
