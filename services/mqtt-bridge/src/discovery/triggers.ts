/** Device triggers by event. `trigger` is the field of the published event that distinguishes them. */
import type { EventName, RobotEvent } from '@perch/client';

interface Trigger {
  trigger: string;
  type: string;
  subtype: string;
}

/** Events of which one field chooses the trigger, with its values. */
const variants = {
  stroke: ['forward', 'back'],
  button: ['short', 'long'],
  answered: ['answer_1', 'answer_2', 'answer_3', 'answer_4', 'answer_5', 'answer_6', 'timed_out', 'replaced', 'cancelled', 'failed'],
} as const satisfies Partial<Record<EventName, readonly string[]>>;

const subtypes: Partial<Record<EventName, string>> = {
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
  near: 'proximity sensor',
  away: 'proximity sensor',
};

export function triggersOf(event: EventName): Trigger[] {
  if (!(event in variants)) return [{ trigger: event, type: event, subtype: subtypes[event] ?? 'robot' }];
  return variants[event as keyof typeof variants].map((variant) => ({ trigger: `${event}_${variant}`, type: event, subtype: variant }));
}

export function triggerOf({ name, data }: RobotEvent): string {
  if (name === 'stroke') return `stroke_${data.direction}`;
  if (name === 'button') return `button_${data.press}`;
  if (name !== 'answered') return name;
  const { outcome, index } = data;
  return `answered_${outcome === 'answered' && index !== null ? `answer_${index + 1}` : outcome}`;
}
