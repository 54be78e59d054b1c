import type { ConsoleRobot, RobotSnapshot } from '@perch/schema';
import { formatReading } from '../readings/reading-format.js';

export interface Fact {
  name: string;
  value: string;
}

/** Returns what an online robot does and shows. @param regionCount number of regions of the clickmap that this page runs; 0: none */
export function factsOf(snapshot: RobotSnapshot, regionCount: number): Fact[] {
  return [
    { name: 'Head', value: headOf(snapshot) },
    { name: 'LEDs', value: ledsOf(snapshot) },
    {
      name: 'Screen',
      value: regionCount === 0 ? screenOf(snapshot) : `waiting for a tap in ${regionCount === 1 ? 'a region' : `${regionCount} regions`}`,
    },
    { name: 'Sound', value: snapshot.sound ? 'playing' : 'silent' },
  ];
}

/** Returns model, firmware and battery, as far as they are known. */
export function deviceOf({ readings }: RobotSnapshot, robot: ConsoleRobot | null): string {
  const battery = readings['battery_pct'];
  const parts = robot === null ? [] : [robot.model, robot.firmware === '' ? '' : `firmware ${robot.firmware}`];
  if (typeof battery === 'number') parts.push(`battery ${formatReading('battery_pct', battery).text}`);
  return parts.filter((part) => part !== '').join(' · ');
}

function headOf({ head: { yaw, pitch, moving } }: RobotSnapshot): string {
  if (yaw === null && pitch === null) return 'unknown';
  const angles = [yaw === null ? '' : `yaw ${Math.round(yaw)}°`, pitch === null ? '' : `pitch ${Math.round(pitch)}°`].filter(Boolean).join(', ');
  return moving ? `${angles}, moving` : angles;
}

function ledsOf({ leds: { effect, pixels } }: RobotSnapshot): string {
  if (effect !== null && effect.name !== 'off') return effect.name;
  // After an effect that ended, too: the robot returns to what it showed before, which is not known.
  if (pixels === null) return effect !== null ? 'off' : 'as before it connected';
  const [first, ...others] = pixels;
  if (others.some((each) => each !== first)) return 'single colours';
  return first === '#000000' ? 'off' : (first ?? 'off');
}

function screenOf({ showing: { question, card, view, emotion } }: RobotSnapshot): string {
  if (question !== null) return 'a question';
  if (card !== null) return 'a card or picture';
  return view === 'readings' ? 'readings' : `face, ${emotion}`;
}
