/**
 * Writes sample pictures of everything the service draws, for visual inspection: `node --import tsx --conditions=source test/programs/samples.ts <folder>`.
 * Each file is a sheet of screens, side by side.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bubbleScene, cardScene, menuScene, pictureScene, questionScene, type Scene } from '@perch/screen';
import { createCanvas } from 'canvas';
import { drawScene } from '../../src/draw-scene.js';

const folder = process.argv[2];
if (folder === undefined) throw new Error('Name a folder to write to.');
mkdirSync(folder, { recursive: true });

const uploads = new Map([
  ['photo', photo(1600, 900)],
  ['tall', photo(300, 900)],
  ['dot', dot()],
]);
const ask = (question: string, ...answers: string[]): Scene => questionScene({ question, answers }).scene;
const menu = (title: string, ...items: string[]): Scene =>
  menuScene(
    { title, items },
    items.map(() => null),
  ).scene;
const tiles = (count: number, labelled: boolean): Scene =>
  menuScene(
    {
      title: labelled ? 'With pictures' : '',
      items: Array.from({ length: count }, (_, i) => ({
        id: `${i}`,
        label: labelled ? (['Beach', 'Mountains and lakes', 'City', 'Home', 'Moon', 'Somewhere else'][i] ?? '') : '',
      })),
    },
    Array.from({ length: count }, (_, i) => ['photo', 'dot', 'tall'][i % 3] ?? null),
  ).scene;
const long = 'The quick brown fox jumps over the lazy dog and then goes on to explain, at length, why it did so. '.repeat(20);

const sheets: Record<string, Scene[]> = {
  cards: [
    cardScene({ text: 'Hi' }),
    cardScene({ title: 'Good morning', text: 'Time to stand up!', note: 'next: 10:30 stand-up' }),
    cardScene({ title: 'Build', text: '42 %', progress: 0.42, note: 'main · 3 min left' }),
    cardScene({ progress: 0.7 }),
    cardScene({ title: 'Downloading', progress: 0.25 }),
    cardScene({ title: 'Only a title' }),
    cardScene({ note: 'Only a note' }),
    cardScene({ text: 'Danger', color: 'red', background: '#000000', title: 'Alert' }),
    cardScene({ title: 'On white', text: 'Still readable', note: 'a note', background: 'white', progress: 0.5 }),
    cardScene({ title: 'On yellow', text: 'Still readable', note: 'a note', background: 'yellow', progress: 0.5 }),
    cardScene({ title: 'On grey', text: 'Still readable', note: 'a note', background: '#808080', progress: 0.5 }),
    cardScene({ title: 'On pink', text: 'Still readable', note: 'a note', background: 'pink', progress: 0.5 }),
  ],
  texts: [
    cardScene({ title: long, text: long, note: long, progress: 1 }),
    cardScene({ text: long }),
    cardScene({ text: 'Donaudampfschifffahrtsgesellschaftskapitän' }),
    cardScene({ text: 'x'.repeat(400) }),
    cardScene({ text: 'Line one\nLine two\n\nLine four' }),
    cardScene({ text: '👩‍👩‍👧‍👦 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️ 👍🏽', title: 'Emoji 🎉', note: '🦜 perch' }),
    cardScene({ title: 'عنوان', text: 'مرحبا بالعالم، هذا نص طويل قليلا', note: 'ملاحظة 123' }),
    cardScene({ title: 'כותרת', text: 'שלום עולם, mixed English טקסט', note: 'הערה' }),
    cardScene({ title: '日本語', text: '今日はいい天気ですね。散歩に行きましょう!', note: 'メモ' }),
    cardScene({ title: '中文', text: '你好，世界！请选择一个答案', note: '한국어 안녕하세요' }),
    cardScene({ title: 'ไทย', text: 'สวัสดีชาวโลก วันนี้อากาศดี', note: 'हिन्दी नमस्ते' }),
    cardScene({ title: '→ ★ ✓ ♪ ½ ⌘', text: 'a ≤ b ≠ ∞ ☐ ● ▶', note: 'Việt Nam, Ελλάδα, Привет, ŁŚĆ' }),
    cardScene({ text: 'Z̸̡̢̛̗̘̙̜̝̞̟̠̤̥̦̩̪̫̬̭̮̯̰̱̲̳̹̺̻̼͇͈͉͍͎̀́̂̃̄̅̆̇̈̉̊̋̌̍̎̏̐̑̒̓̔̽̾̿̀́͂̓̈́͆͊͋͌a̸l̷g̶o', title: 'é ậ e\u0301 a\u0323\u0302' }),
    cardScene({ text: '📦' }),
    cardScene({ text: '17:45' }),
  ],
  asks: [
    ask('Ready?', 'Yes', 'No'),
    ask('Shall I book the meeting room for this afternoon?', 'Yes, please', 'Not now'),
    ask('Continue?', 'Yes, and do not ask me again', 'No, take me back to the start'),
    ask('Which one do you like the most of all the ones we have seen?', 'Red', 'Green', 'Blue'),
    ask('How was it?', '😀', '😐', '😞'),
    ask('What shall we do?', 'Play a game', 'Listen to music', 'Something else entirely'),
    ask('Pick a drink', 'Coffee', 'Tea', 'Water', 'Orange juice'),
    ask('Which?', 'A', 'B', 'C', 'D'),
    ask(long, 'OK', 'Cancel'),
    ask('Long answers', long, long, long, long),
    ask('האם להמשיך?', 'כן', 'לא'),
    ask('続けますか?', 'はい', 'いいえ'),
    ask('هل تريد المتابعة؟', 'نعم', 'لا', 'ربما'),
    ask('Has the package arrived? 📦', '✅ Yes', '❌ No'),
    ask('', '', 'x'),
  ],
  menus: [
    menu('Choose a game', 'Chess', 'Go'),
    menu('Choose a game', 'Chess', 'Go', 'Checkers'),
    menu('', 'Chess', 'Go', 'Checkers', 'Backgammon'),
    menu('Lunch', '🍕 Pizza', '🥗 Salad', '🍜 Noodle soup', '🍣 Sushi', '🌮 Tacos'),
    menu('Rooms', 'Kitchen', 'Living room', 'Bathroom', 'Bedroom', 'Garage', 'Garden'),
    menu('', '☀️', '🌙', '⭐', '🌈', '🔥', '❄️'),
    ...[2, 3, 4, 5, 6].map((n) => tiles(n, true)),
    ...[2, 3, 6].map((n) => tiles(n, false)),
    menu(long, long, long, long),
  ],
  others: [
    pictureScene('photo'),
    pictureScene('tall', 'white'),
    pictureScene('dot', '#804000'),
    bubbleScene('Hi!'),
    bubbleScene('こんにちは、元気ですか?'),
    bubbleScene('A bubble has at most eighty characters, which is about as much as this one has.'),
    bubbleScene('שלום! 👋'),
  ],
};

for (const [name, scenes] of Object.entries(sheets)) {
  const columns = 3;
  const sheet = createCanvas(columns * 330, Math.ceil(scenes.length / columns) * 250);
  const context = sheet.getContext('2d');
  context.fillStyle = '#555555';
  context.fillRect(0, 0, sheet.width, sheet.height);
  for (const [i, scene] of scenes.entries()) {
    const began = performance.now();
    const canvas = await drawScene(scene, uploads);
    process.stdout.write(`${name} ${i}: ${(performance.now() - began).toFixed(1)} ms\n`);
    context.drawImage(canvas, (i % columns) * 330 + 5, Math.floor(i / columns) * 250 + 5);
  }
  writeFileSync(join(folder, `${name}.png`), await sheet.encode('png'));
}

/** A landscape with fine detail, which makes bad scaling visible. */
function photo(w: number, h: number): Buffer {
  const canvas = createCanvas(w, h);
  const context = canvas.getContext('2d');
  const sky = context.createLinearGradient(0, 0, 0, h);
  sky.addColorStop(0, '#2a6fdb');
  sky.addColorStop(0.6, '#ffd9a0');
  sky.addColorStop(0.61, '#2f7d4f');
  sky.addColorStop(1, '#0f3d24');
  context.fillStyle = sky;
  context.fillRect(0, 0, w, h);
  context.fillStyle = '#fff3c4';
  context.beginPath();
  context.arc(w * 0.7, h * 0.35, Math.min(w, h) * 0.12, 0, 7);
  context.fill();
  context.fillStyle = '#ffffff';
  for (let x = 0; x < w; x += 8) context.fillRect(x, h * 0.8, 4, h * 0.1);
  return canvas.toBuffer('image/jpeg', 90);
}

function dot(): Buffer {
  const canvas = createCanvas(64, 64);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ff5fa2';
  context.beginPath();
  context.arc(32, 32, 30, 0, 7);
  context.fill();
  return canvas.toBuffer('image/png');
}
