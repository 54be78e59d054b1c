/**
 * A program that behaves as Piper's command line does: reads a text from standard input, writes signed 16-bit mono samples of 22,050 Hz. It speaks a
 * tone of 60 ms for each character.
 *
 *   --real-time        writes 100 ms of sound every 100 ms
 *   --dies-after MS    ends with code 3 after so much sound
 *   --never            writes nothing and does not end
 *   --silent-end       ends with code 0 without any sound
 *   --times FILE       writes the time of the first output, ms since 1970, to the file
 */
import { appendFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const rate = 22_050;
const charMs = 60;
const args = process.argv.slice(2);
const valueOf = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);

const spoken = (await text(process.stdin)).trim();
if (args.includes('--never')) setInterval(() => undefined, 60_000);
else if (!args.includes('--silent-end')) await speak();

async function speak() {
  const diesAfterMs = Number(valueOf('--dies-after') ?? Infinity);
  const totalMs = [...spoken].length * charMs;
  const stepMs = 100;
  const times = valueOf('--times');
  if (times !== undefined) appendFileSync(times, `${Date.now()}\n`);
  for (let at = 0; at < totalMs; at += stepMs) {
    if (at >= diesAfterMs) process.exit(3);
    const samples = Math.round((Math.min(stepMs, totalMs - at) * rate) / 1000);
    const from = Math.round((at * rate) / 1000);
    const pcm = Buffer.alloc(samples * 2);
    for (let i = 0; i < samples; i += 1) pcm.writeInt16LE(Math.round(6000 * Math.sin((2 * Math.PI * 440 * (from + i)) / rate)), i * 2);
    process.stdout.write(pcm);
    if (args.includes('--real-time')) await pause(stepMs);
  }
}
