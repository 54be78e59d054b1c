import type { EarlierScreen, ScreenAction } from '@perch/schema';
import { labelOfOutcome, type Tone } from '../../activity/activity-words.js';

export const kindLabels: Readonly<Record<ScreenAction, string>> = { show: 'Card', ask: 'Question', menu: 'Menu', clickmap: 'Clickmap' };

export function outcomeOf({ action, outcome, answer }: EarlierScreen): { label: string; tone: Tone } {
  if (action === 'show') return { label: 'Shown', tone: 'good' };
  const { label, tone } = labelOfOutcome({ outcome, count: 1 });
  return { label: answer === null ? label : `${label}: ${answer}`, tone };
}

export function callerOf({ via, key }: EarlierScreen): string {
  if (via === 'page') return 'Web page';
  const name = key === null ? 'Revoked key' : key.name || 'Unnamed key';
  return via === 'agent' ? `${name}, agent` : name;
}

/** Returns what the screen said, as text for those who do not see its picture. */
export function textOf({ action, arguments: args }: EarlierScreen): string {
  const kind = kindLabels[action];
  const said = args === null ? [] : saidBy[action](args).filter((part) => part !== '');
  return said.length === 0 ? kind : `${kind}: ${said.reduce((before, next) => `${before}${/[.!?…]$/.test(before) ? '' : '.'} ${next}`)}`;
}

type Args = Record<string, unknown>;

const saidBy: Readonly<Record<ScreenAction, (args: Args) => string[]>> = {
  show: ({ title, text, note, countdown, progress, qr, sparkline, icon }) => [
    wordsOf(title),
    wordsOf(text),
    typeof progress === 'number' ? `${Math.round(progress * 100)} %` : '',
    countdown === undefined ? '' : 'Countdown',
    qr === undefined ? '' : 'QR code',
    sparkline === undefined ? '' : 'Sparkline',
    icon === undefined ? '' : `Icon ${wordsOf(icon)}`,
    wordsOf(note),
  ],
  ask: ({ question, answers }) => [wordsOf(question), `Answers: ${listOf(answers)}`],
  menu: ({ title, items }) => [wordsOf(title), `Tiles: ${listOf(items)}`],
  clickmap: ({ regions }) => [`Regions: ${listOf(regions)}`],
};

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

function listOf(values: unknown): string {
  if (!Array.isArray(values)) return '';
  return values.map((value: unknown) => (typeof value === 'string' ? value : nameOf(value as Args))).join(', ');
}

function nameOf({ label, icon, id }: Args): string {
  return wordsOf(label) || wordsOf(icon) || wordsOf(id) || 'a picture';
}
