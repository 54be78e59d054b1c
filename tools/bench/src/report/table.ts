import { goals, furtherRows, type RowSpec } from '../goals.js';
import type { Row } from '../figures.js';
import type { Verdict } from '../verdict.js';
import type { Report } from './report.js';

export function tableOf({ machine, plan, rounds, rows, wrong, failures }: Report): string {
  const byName = new Map<string, Row>(rows.map((row) => [row.name, row]));
  const lines = [
    `${machine.cores} x ${machine.cpu}, ${machine.memory_gb} GB, ${machine.os}, Node ${machine.node}, load ${machine.load} at the start`,
    `${plan.name}: ${rounds} rounds, ${plan.robots} robots; "many" is ${plan.manyRobots} robots, ${plan.manyLinks} robot-links, ${plan.polls} polls`,
  ];
  const section = (title: string, specs: readonly RowSpec[]): void => {
    const shown = specs.map(({ name }) => byName.get(name)!);
    if (shown.every(({ figure, verdict, note }) => figure === null && verdict === null && note === null)) return;
    lines.push('', title, ...shown.map(lineOf));
  };
  for (const { title, goal, rows: specs } of goals) section(`${title}: ${goal}`, specs);
  section('beside the goals', furtherRows);
  const judged = rows.filter(({ verdict }) => verdict !== null);
  const count = (verdict: Verdict): number => judged.filter((row) => row.verdict === verdict).length;
  const counts = `${count('met')} of ${judged.length} goals met, ${count('not met')} not met, ${count('undecided')} undecided`;
  lines.push('', `${counts}; ${wrong} wrong answers or commands`, ...failures);
  return lines.join('\n');
}

function lineOf({ name, figure, unit, goal, note, verdict, of, spread, interval }: Row): string {
  const shown = figure === null ? (note ?? 'not measured') : `${figure} ${unit}`;
  const [low, high] = interval ?? spread ?? [0, 0];
  const range = low === high ? '' : `${low} .. ${high}`;
  const said = (verdict === 'not met' ? 'NOT MET' : (verdict ?? '')).padEnd(10);
  const against = [of === null ? '' : `of ${of}`, figure === null || note === null ? '' : `(${note})`].filter(Boolean).join(' ');
  return `  ${name.padEnd(56)} ${shown.padStart(24)}  ${range.padEnd(18)} ${(goal ?? '').padEnd(14)} ${said} ${against}`.trimEnd();
}
