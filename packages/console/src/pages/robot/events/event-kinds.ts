/** Groups of events for the filter; a test compares the names with the schema. */
import type { RobotEvent } from '@perch/schema';

export const eventKinds: readonly { title: string; names: readonly RobotEvent['name'][] }[] = [
  { title: 'Screen', names: ['tap', 'long_press'] },
  { title: 'Head', names: ['pat', 'pet', 'stroke'] },
  { title: 'Motion', names: ['shaken', 'picked_up'] },
  { title: 'Proximity', names: ['near', 'away'] },
  { title: 'Tags', names: ['tag', 'tag_removed'] },
  { title: 'Remote', names: ['remote'] },
  { title: 'Power', names: ['button', 'plugged', 'unplugged'] },
  { title: 'Connection', names: ['connected'] },
  { title: 'Questions', names: ['answered'] },
];
