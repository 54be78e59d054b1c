import { goals, furtherRows, type RowSpec } from '../goals.js';
import type { Row } from '../figures.js';
import type { Report } from './report.js';

export function tableOf({ machine, plan, rounds, rows, wrong, failures }: Report): string {
  const byName = new Map<string, Row>(rows.map((row) => [row.name, row]));
  const lines = [
    `${machine.cores} x ${machine.cpu}, ${machine.memory_gb} GB, ${machine.os}, Node ${machine.node}, load ${machine.load} at the start`,
    `${plan.name}: ${rounds} rounds, ${plan.robots} robots; "many" is ${plan.manyRobots} robots, ${plan.manyLinks} robot-links, ${plan.polls} polls`,
  ];
  const section = (title: string, specs: readonly RowSpec[]): void => {
    const shown = specs.map(({ name }) => byName.get(name)!);
    if (shown.every(({ figure, met, note }) => figure === null && met === null && note === null)) return;
    lines.push('', title, ...shown.map(lineOf));
  };
  for (const { title, goal, rows: specs } of goals) section(`${title}: ${goal}`, specs);
  section('beside the goals', furtherRows);
  const judged = rows.filter(({ met }) => met !== null);
  lines.push('', `${judged.filter(({ met }) => met).length} of ${judged.length} goals met, ${wrong} wrong answers or commands`, ...failures);
  return lines.join('\n');
}

function lineOf({ name, figure, unit, goal, note, met, of, spread }: Row): string {
  const shown = figure === null ? (note ?? 'not measured') : `${figure} ${unit}`;
  const range = spread === null || spread[0] === spread[1] ? '' : `${spread[0]} .. ${spread[1]}`;
  const verdict = met === null ? '' : met ? 'met' : 'NOT MET';
  const against = of === null ? '' : `of ${of}`;
  return `  ${name.padEnd(56)} ${shown.padStart(24)}  ${range.padEnd(18)} ${(goal ?? '').padEnd(14)} ${verdict.padEnd(8)} ${against}`.trimEnd();
}
