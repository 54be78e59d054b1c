import { createCanvas, type SKRSContext2D } from 'canvas';

const margin = { left: 56, right: 12, top: 28, bottom: 24 };
const pixelsPerSecond = 200;
const waveHeight = 120;
const gap = 12;
const rowHeight = 4;
const rangeDb = 60;
/** G3 to B8: the notes that the speaker plays. */
const semitones = Array.from({ length: 65 }, (_, index) => 119 - index);
const ceiling = 10 ** (-1 / 20);

export function soundPicture(title: string, samples: Float32Array, rate: number): Buffer {
  const width = Math.ceil((samples.length / rate) * pixelsPerSecond);
  const spectrumTop = margin.top + waveHeight + gap;
  const spectrumHeight = semitones.length * rowHeight;
  const canvas = createCanvas(margin.left + Math.max(width, 200) + margin.right, spectrumTop + spectrumHeight + margin.bottom);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = '#000000';
  context.font = 'bold 14px sans-serif';
  context.fillText(title, margin.left, 18);
  context.font = '11px sans-serif';
  drawWave(context, samples, rate, width);
  drawSpectrum(context, samples, rate, width, spectrumTop);
  context.fillStyle = '#000000';
  for (const note of [60, 72, 84, 96, 108]) context.fillText(`C${note / 12 - 1}`, 30, spectrumTop + (semitones.indexOf(note) + 1) * rowHeight);
  for (let tenth = 0; tenth * 0.5 <= samples.length / rate; tenth += 1) {
    context.fillText(`${tenth * 0.5} s`, margin.left + tenth * 0.5 * pixelsPerSecond, canvas.height - 8);
  }
  return canvas.toBuffer('image/png');
}

function drawWave(context: SKRSContext2D, samples: Float32Array, rate: number, width: number): void {
  const middle = margin.top + waveHeight / 2;
  context.strokeStyle = '#c0c0c0';
  for (const level of [-ceiling, 0, ceiling]) {
    context.beginPath();
    context.moveTo(margin.left, middle - (level * waveHeight) / 2);
    context.lineTo(margin.left + width, middle - (level * waveHeight) / 2);
    context.stroke();
  }
  context.fillStyle = '#000000';
  context.fillText('-1 dB', 12, middle - (ceiling * waveHeight) / 2 + 8);
  context.fillStyle = '#1f5fbf';
  for (let column = 0; column < width; column += 1) {
    const part = samples.subarray(Math.floor((column * rate) / pixelsPerSecond), Math.floor(((column + 1) * rate) / pixelsPerSecond));
    const high = part.reduce((most, value) => Math.max(most, value), -1);
    const low = part.reduce((least, value) => Math.min(least, value), 1);
    context.fillRect(margin.left + column, middle - (high * waveHeight) / 2, 1, Math.max(1, ((high - low) * waveHeight) / 2));
  }
}

function drawSpectrum(context: SKRSContext2D, samples: Float32Array, rate: number, width: number, top: number): void {
  const step = pixelsPerSecond / 100;
  const columns = Math.ceil(width / step);
  const rows = semitones.map((semitone) => amplitudes(samples, 440 * 2 ** ((semitone - 69) / 12), rate, columns));
  const loudest = Math.max(...rows.flatMap((row) => [...row]));
  for (const [row, values] of rows.entries()) {
    for (const [column, value] of values.entries()) {
      const share = Math.max(0, 1 + (20 * Math.log10(value / loudest + 1e-9)) / rangeDb);
      context.fillStyle = `hsl(${Math.round(260 - 220 * share)} 80% ${Math.round(70 * share)}%)`;
      context.fillRect(margin.left + column * step, top + row * rowHeight, step, rowHeight);
    }
  }
}

/** Returns the amplitude of one frequency every 10 ms, under a Hann window of 18 periods, at least 20 and at most 80 ms. */
function amplitudes(samples: Float32Array, hertz: number, rate: number, columns: number): Float64Array {
  const half = Math.round(Math.min(0.04, Math.max(0.01, 9 / hertz)) * rate);
  const cosines = new Float64Array(2 * half);
  const sines = new Float64Array(2 * half);
  for (let at = 0; at < 2 * half; at += 1) {
    const window = (0.5 - 0.5 * Math.cos((Math.PI * (at + 0.5)) / half)) / half;
    cosines[at] = window * Math.cos((2 * Math.PI * hertz * at) / rate);
    sines[at] = window * Math.sin((2 * Math.PI * hertz * at) / rate);
  }
  return Float64Array.from({ length: columns }, (_, column) => {
    const from = Math.round((column * rate) / 100) - half;
    let re = 0;
    let im = 0;
    for (let at = Math.max(0, -from); at < 2 * half && from + at < samples.length; at += 1) {
      re += samples[from + at]! * cosines[at]!;
      im += samples[from + at]! * sines[at]!;
    }
    return Math.hypot(re, im);
  });
}
