/**
 * `npm run sounds [-- FOLDER]`: writes each chime as NAME.wav and NAME.png (waveform and spectrogram), and README.md with their measurements, into
 * docs/sounds. Labels of the pictures are in the machine's sans-serif font.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chimeNames, momentaryLoudness, synthesize, truePeakOf } from '@perch/sound';
import { soundPicture } from './sound-picture.js';

const rate = 16_000;
const folder = resolve(process.env['INIT_CWD'] ?? '.', process.argv[2] ?? 'docs/sounds');
mkdirSync(folder, { recursive: true });

const rows = chimeNames.map((chime) => {
  const pcm = synthesize({ chime }, rate);
  const samples = Float32Array.from({ length: pcm.length / 2 }, (_, at) => pcm.readInt16LE(2 * at) / 32_768);
  writeFileSync(join(folder, `${chime}.wav`), Buffer.concat([wavHeader(pcm.length), pcm]));
  writeFileSync(join(folder, `${chime}.png`), soundPicture(chime, samples, rate));
  const lufs = momentaryLoudness(samples, rate).toFixed(1);
  return `| [${chime}](${chime}.wav) | ${(samples.length / rate).toFixed(2)} s | ${lufs} LUFS | ${truePeakOf(samples).toFixed(1)} dBTP | ![${chime}](${chime}.png) |`;
});

writeFileSync(
  join(folder, 'README.md'),
  `# Chimes

The ready-made sounds of the action \`sound\`, written by \`npm run sounds\`: ${rate / 1000} kHz, mono. Loudness is the maximum of the momentary loudness (400 ms) and the true peak is of 4x oversampling, both by ITU-R BS.1770. A picture shows the waveform, with lines at -1 dBTP, above the spectrogram: a column each 10 ms, a row each semitone, 60 dB from dark to bright.

| chime | length | loudness | true peak | waveform and spectrogram |
|---|---|---|---|---|
${rows.join('\n')}
`,
);
process.stdout.write(`${folder}\n`);

function wavHeader(bytes: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + bytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(bytes, 40);
  return header;
}
