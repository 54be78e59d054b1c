import type { Row } from '../figures.js';
import type { RowName } from '../goals.js';
import { escaped } from './escaped.js';
import type { Report } from './report.js';

interface Plot {
  file: string;
  title: string;
  bars: readonly { label: string; row: RowName }[];
}

const variants = ['L', 'S+', 'A+', 'M', 'Perch'] as const;

const plots: readonly Plot[] = [
  {
    file: 'cpu.svg',
    title: 'CPU per action, 16 in flight (ms)',
    bars: variants.map((name) => ({ label: name, row: `CPU of ${name}, 16 in flight` as const })),
  },
  {
    file: 'cpu-of-perch.svg',
    title: 'where Perch spends it (ms/action)',
    bars: (['gateway', 'robot-link'] as const)
      .map((name): Plot['bars'][number] => ({ label: name, row: `CPU of the ${name}, 16 in flight` }))
      .concat({ label: 'Redis', row: 'CPU of Redis, 16 in flight' }),
  },
  {
    file: 'latency-p50.svg',
    title: 'latency p50, 1 in flight (ms)',
    bars: variants.map((name) => ({ label: name, row: `p50 of ${name}, 1 in flight` as const })),
  },
  {
    file: 'latency-p99.svg',
    title: 'latency p99, 500 a second (ms)',
    bars: variants.map((name) => ({ label: name, row: `p99 of ${name}, 500/s` as const })),
  },
  {
    file: 'throughput.svg',
    title: 'throughput, 64 in flight (actions/s)',
    bars: variants.map((name) => ({ label: name, row: `throughput of ${name}, 64 in flight` as const })),
  },
  {
    file: 'redis-commands.svg',
    title: 'Redis commands per action, by actions in flight',
    bars: ([1, 16, 64] as const).map((inFlight) => ({ label: String(inFlight), row: `commands, ${inFlight} in flight` as const })),
  },
];

/** @returns file name -> SVG; plots with unmeasured rows are omitted */
export function plotsOf({ rows }: Pick<Report, 'rows'>): Map<string, string> {
  const byName = new Map<string, Row>(rows.map((row) => [row.name, row]));
  return new Map(
    plots.flatMap(({ file, title, bars }) => {
      const drawn = bars.flatMap(({ label, row }) => {
        const { figure, spread } = byName.get(row) ?? { figure: null, spread: null };
        return figure === null || spread === null ? [] : [{ label, figure, spread }];
      });
      return drawn.length < bars.length ? [] : [[file, barsSvg(title, drawn)] as const];
    }),
  );
}

interface Bar {
  label: string;
  figure: number;
  spread: [number, number];
}

const width = 480;
const labelWidth = 84;
const barWidth = 300;
const rowHeight = 30;
const top = 44;

/** Each bar ends at the median; the thin line spans the rounds. */
function barsSvg(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ spread }) => spread[1]), Number.MIN_VALUE);
  const x = (value: number): string => (labelWidth + (value / most) * barWidth).toFixed(1);
  const drawn = bars.map(({ label, figure, spread }, i) => {
    const y = top + i * rowHeight;
    const middle = y + rowHeight / 2 - 3;
    return [
      `<text x="${labelWidth - 8}" y="${middle + 4}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${labelWidth}" y="${y}" width="${((figure / most) * barWidth).toFixed(1)}" height="${rowHeight - 6}" fill="${label === 'Perch' ? '#c2410c' : '#64748b'}"/>`,
      `<line x1="${x(spread[0])}" x2="${x(spread[1])}" y1="${middle}" y2="${middle}" stroke="#0f172a" stroke-width="2"/>`,
      `<text x="${labelWidth + barWidth + 10}" y="${middle + 4}">${figure}</text>`,
    ].join('');
  });
  const height = top + bars.length * rowHeight + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="13" fill="#0f172a">
<rect width="${width}" height="${height}" fill="#ffffff"/>
<text x="12" y="24" font-size="15" font-weight="bold">${escaped(title)}</text>
${drawn.join('\n')}
</svg>
`;
}
