/** Labels of robots, `key=value`, stored as one text: `floor=2;room=r1`, ascending by key. Therefore a value contains no semicolon. */
import { limits } from '../base/limits.js';
import { isPlainText, notPlainText, plainCharacter } from '../base/plain-text.js';

const { labelsMax, labelKeyCharsMax, labelValueCharsMax } = limits.robots;

const keyPattern = `[a-z0-9_-]{1,${labelKeyCharsMax}}`;
const inner = plainCharacter(';');
const outer = plainCharacter(';\\s');
export const labelPattern = `^${keyPattern}=(?:${outer}(?:${inner}{0,${labelValueCharsMax - 2}}${outer})?)?$`;

const wholeKey = new RegExp(`^${keyPattern}$`, 'u');

export type Labels = Readonly<Record<string, string>>;

export function labelKeyProblem(key: string): string | null {
  return wholeKey.test(key) ? null : `a key is 1 to ${labelKeyCharsMax} of the characters a to z, 0 to 9, _ and -`;
}

/** @param label `key=value` */
export function labelProblem(label: string): string | null {
  const at = label.indexOf('=');
  if (at === -1) return 'must be key=value, such as room=r7';
  const value = label.slice(at + 1);
  const keyProblem = labelKeyProblem(label.slice(0, at));
  if (keyProblem !== null) return keyProblem;
  if (value.length > 2 * labelValueCharsMax || [...value].length > labelValueCharsMax) return `a value has at most ${labelValueCharsMax} characters`;
  if (!isPlainText(value)) return `a value ${notPlainText}`;
  if (value.includes(';')) return 'a value must not contain a semicolon';
  return value === value.trim() ? null : 'a value must not begin or end with a blank';
}

/** Parses labels that a person entered, `room=r1;floor=2`, with or without blanks around the semicolons. @returns the labels, or the problem */
export function readLabels(text: string): { labels: Labels } | { problem: string } {
  const labels = text.split(';').map((label) => label.trim());
  if (labels.at(-1) === '') labels.pop();
  if (labels.length > labelsMax) return { problem: `a robot has at most ${labelsMax} labels` };
  const seen = new Set<string>();
  for (const label of labels) {
    const problem = labelProblem(label);
    if (problem !== null) return { problem: `${quoted(label)}: ${problem}` };
    const key = label.slice(0, label.indexOf('='));
    if (seen.has(key)) return { problem: `${quoted(label)}: the key ${key} is given more than once` };
    seen.add(key);
  }
  return { labels: labelsOf(labels.join(';')) };
}

export function labelsOf(text: string): Labels {
  if (text === '') return {};
  return Object.fromEntries(
    text.split(';').map((label) => {
      const at = label.indexOf('=');
      return [label.slice(0, at), label.slice(at + 1)];
    }),
  );
}

export function labelsText(labels: Labels): string {
  return Object.entries(labels)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(';');
}

export function hasLabels(stored: string, labels: readonly string[]): boolean {
  return labels.every((label) => `;${stored};`.includes(`;${label};`));
}

function quoted(label: string): string {
  return JSON.stringify(label.length > 40 ? `${label.slice(0, 40)}...` : label);
}
