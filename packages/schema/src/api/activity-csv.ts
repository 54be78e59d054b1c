import type { ActivityView } from './activity.js';

export const activityColumns = [
  'seq',
  'at',
  'kind',
  'via',
  'key_id',
  'key_name',
  'robot',
  'action',
  'outcome',
  'count',
  'seconds',
  'question',
  'answer',
  'x',
  'y',
  'tap_s',
  'network',
  'subject',
  'guest',
] as const;

/** Returns a line of RFC 4180, with its CR LF. */
export function activityCsvLine({ key, ...entry }: ActivityView): string {
  const values: Record<string, string | number | null> = { ...entry, key_id: key?.id ?? null, key_name: key?.name ?? null };
  return csvLine(activityColumns.map((name) => values[name] ?? ''));
}

/** An apostrophe precedes a text that a spreadsheet would take for a formula: people and programs choose the texts. */
export function csvLine(values: readonly (string | number)[]): string {
  const cells = values.map((value) => {
    if (typeof value === 'number') return String(value);
    const text = /^[\s]*[=+\-@\t\r＝＋－＠]/.test(value) ? `'${value}` : value;
    return /[",\r\n;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${cells.join(',')}\r\n`;
}
