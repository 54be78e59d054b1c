/** Device triggers by event. `trigger` is the field of the published event that distinguishes them. */
import type { EventName, RobotEvent } from '@perch/client';

interface Trigger {
  trigger: string;
  type: string;
  subtype: string;
}

/** The bridge's own event: a question that it was to ask does not show. */
export const notAsked = 'not_asked';

/** Events of which one field chooses the trigger, with its values. */
const variants = {
  stroke: ['forward', 'back'],
  button: ['short', 'long'],
  answered: ['answer_1', 'answer_2', 'answer_3', 'answer_4', 'answer_5', 'answer_6', 'timed_out', 'replaced', 'cancelled', 'failed'],
} as const satisfies Partial<Record<EventName, readonly string[]>>;

const subtypes: Partial<Record<EventName | typeof notAsked, string>> = {
  tap: 'screen',
  long_press: 'screen',
  pat: 'head',
  pet: 'head',
  stroke: 'head',
  tag: 'tag reader',
  tag_removed: 'tag reader',
  remote: 'infrared receiver',
  plugged: 'USB power',
  unplugged: 'USB power',
  [notAsked]: 'question',
  near: 'proximity sensor',
  away: 'proximity sensor',
};

/** The same triggers once more, with the types and the buttons that Home Assistant has words for in each language. */
export const standardTriggers: readonly Trigger[] = [
  { trigger: 'tap', type: 'button_short_press', subtype: 'screen' },
  { trigger: 'long_press', type: 'button_long_press', subtype: 'screen' },
  { trigger: 'button_short', type: 'button_short_press', subtype: 'power button' },
  { trigger: 'button_long', type: 'button_long_press', subtype: 'power button' },
  ...[1, 2, 3, 4, 5, 6].map((n) => ({ trigger: `answered_answer_${n}`, type: 'button_short_press', subtype: `button_${n}` })),
];

export function triggersOf(event: EventName | typeof notAsked): Trigger[] {
  if (!(event in variants)) return [{ trigger: event, type: event, subtype: subtypes[event] ?? 'robot' }];
  return variants[event as keyof typeof variants].map((variant) => ({ trigger: `${event}_${variant}`, type: event, subtype: variant }));
}

/** @param isOwn of an answer: the bridge asked the question. Others' answers have no device trigger. */
export function triggerOf({ name, data }: RobotEvent, isOwn: boolean): string {
  if (name === 'stroke') return `stroke_${data.direction}`;
  if (name === 'button') return `button_${data.press}`;
  if (name !== 'answered') return name;
  if (!isOwn) return 'answered_other';
  const { outcome, index } = data;
  return `answered_${outcome === 'answered' && index !== null ? `answer_${index + 1}` : outcome}`;
}
