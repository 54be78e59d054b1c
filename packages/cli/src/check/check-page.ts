import type { CheckOutcome, CheckReport } from './robot-check.js';
import { writeFile } from 'node:fs/promises';
import { Refused } from '../refused.js';

export const outcomeTexts: Record<CheckOutcome, string> = { passed: 'passed', failed: 'failed', skipped: 'skipped', not_seen: 'not seen' };

/** The report as one HTML file without scripts, to look at and to send. */
export function checkPage(report: CheckReport): string {
  const { robot, model, firmware, started_at: started, ended_at: ended, results, readings } = report;
  const rows = results.map(({ check, outcome, detail }) => row([check, outcomeTexts[outcome], detail]));
  const values = Object.entries(readings).map(([name, value]) => row([name, String(value)]));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Check of ${escaped(robot)}</title>
<style>body{font:16px/1.5 system-ui;margin:2rem auto;max-width:50rem;padding:0 1rem}table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ccc;padding:.4rem;text-align:left;vertical-align:top}</style>
<h1>Check of ${escaped(robot)}</h1>
<p>${escaped(model)} · ${escaped(firmware)}<br>${escaped(started)} to ${escaped(ended)}</p>
<table><thead>${row(['Check', 'Outcome', 'Detail'], 'th')}</thead><tbody>
${rows.join('\n')}
</tbody></table>
<p>Skipped: the robot does not offer it, or the person skipped it. Not seen: nobody answered, or the robot reported nothing, in time.</p>
<h2>Readings</h2>
<table><tbody>
${values.join('\n')}
</tbody></table>
</html>
`;
}

function row(cells: readonly string[], tag = 'td'): string {
  return `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

export async function writeReport(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new Refused(`the report cannot be written to ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
}
