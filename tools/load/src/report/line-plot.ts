import { escaped } from '@perch/bench';

export interface Line {
  label: string;
  values: readonly (number | null)[];
}

export interface LinePlot {
  title: string;
  unit: string;
  s: readonly number[];
  lines: readonly Line[];
}

const width = 760;
const height = 260;
const left = 64;
const right = 12;
const top = 34;
const bottom = 28;
const colors = ['#c2410c', '#1d4ed8', '#15803d', '#7e22ce', '#a16207', '#0e7490', '#be185d', '#475569', '#4d7c0f', '#b91c1c'];
const legendColumns = 4;
const legendRow = 18;

export function linePlotSvg({ title, unit, s, lines }: LinePlot): string {
  const values = lines.flatMap((line) => line.values.filter((value) => value !== null));
  const most = niceMost(Math.max(0, ...values));
  const last = Math.max(...s, 1);
  const x = (seconds: number): number => left + (seconds / last) * (width - left - right);
  const y = (value: number): number => height - bottom - (value / most) * (height - top - bottom);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = y(share * most).toFixed(1);
    return `<line x1="${left}" x2="${width - right}" y1="${at}" y2="${at}" stroke="#e2e8f0"/><text x="${left - 6}" y="${Number(at) + 4}" text-anchor="end">${shown(share * most)}</text>`;
  });
  const times = [0, 0.25, 0.5, 0.75, 1].map(
    (share) => `<text x="${x(share * last).toFixed(1)}" y="${height - 8}" text-anchor="middle">${timeText(share * last)}</text>`,
  );
  const drawn = lines.map(({ values: own }, i) => `<path d="${pathOf(own, s, x, y)}" fill="none" stroke="${colorOf(i)}" stroke-width="1.5"/>`);
  const legend = lines.map(({ label }, i) => {
    const at = left + (i % legendColumns) * ((width - left) / legendColumns);
    const row = height + 12 + Math.floor(i / legendColumns) * legendRow;
    return `<rect x="${at}" y="${row - 8}" width="10" height="10" fill="${colorOf(i)}"/><text x="${at + 14}" y="${row + 1}">${escaped(label)}</text>`;
  });
  const full = height + 12 + Math.ceil(lines.length / legendColumns) * legendRow;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${full}" width="${width}" height="${full}" font-family="sans-serif" font-size="12" fill="#0f172a" role="img" aria-label="${escaped(title)}">`,
    `<rect width="${width}" height="${full}" fill="#ffffff"/>`,
    `<text x="${left}" y="20" font-size="15" font-weight="bold">${escaped(`${title} (${unit})`)}</text>`,
    ...grid,
    ...times,
    ...drawn,
    ...legend,
    '</svg>',
  ].join('\n');
}

function pathOf(values: Line['values'], s: readonly number[], x: (seconds: number) => number, y: (value: number) => number): string {
  let isGap = true;
  return values
    .map((value, i) => {
      if (value === null) {
        isGap = true;
        return '';
      }
      const move = isGap ? 'M' : 'L';
      isGap = false;
      return `${move}${x(s[i] ?? 0).toFixed(1)} ${y(value).toFixed(1)}`;
    })
    .join('');
}

function niceMost(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= most)!;
}

function shown(value: number): string {
  return value >= 1000 ? `${Math.round(value / 100) / 10}k` : String(Math.round(value * 1000) / 1000);
}

function timeText(seconds: number): string {
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 6) / 10} min`;
}

function colorOf(index: number): string {
  return colors[index % colors.length]!;
}
