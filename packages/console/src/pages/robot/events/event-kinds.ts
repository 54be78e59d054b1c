/** The kinds of events, as the filter offers them; a test holds the names against those that robots give. */
import type { RobotEvent } from '@perch/schema';

export const eventKinds: readonly { title: string; names: readonly RobotEvent['name'][] }[] = [
  { title: 'Screen', names: ['tap', 'long_press'] },
  { title: 'Head', names: ['pat', 'pet', 'stroke'] },
  { title: 'Motion', names: ['shaken', 'picked_up'] },
  { title: 'Near and away', names: ['near', 'away'] },
  { title: 'Tags', names: ['tag', 'tag_removed'] },
  { title: 'Remote', names: ['remote'] },
  { title: 'Power', names: ['button', 'plugged', 'unplugged'] },
  { title: 'Connection', names: ['connected'] },
];
