import type { EventName } from '@perch/schema';

export const eventLabels: Record<EventName, string> = {
  tap: 'Tap',
  long_press: 'Long press',
  pat: 'Pat on the head',
  pet: 'Petted',
  stroke: 'Stroke',
  shaken: 'Shaken',
  picked_up: 'Picked up',
  near: 'Someone near',
  away: 'No longer near',
  tag: 'Tag presented',
  tag_removed: 'Tag removed',
  remote: 'Remote button',
  button: 'Power button',
  plugged: 'Plugged in',
  unplugged: 'Unplugged',
  connected: 'Connected',
  answered: 'Question answered',
};

export const eventNames = Object.keys(eventLabels) as EventName[];

/** @param type an event name, or `test` */
export function labelOfType(type: string): string {
  return type === 'test' ? 'Test' : ((eventLabels as Record<string, string>)[type] ?? type);
}
