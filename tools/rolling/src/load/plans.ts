/** A healthy service refuses none of these calls, so that every answer but 200 is a failed call. */
import { marked, unmarked, type Marks, type Plan, type Random } from '@perch/chaos';
import { pictureOf } from './picture.js';
import type { Role } from './roles.js';

const notesMs = [1500, 9000] as const;

export function planSound(random: Random, marks: Marks): Plan {
  const lengthMs = Math.round(random.between(...notesMs));
  // Another melody each time, so that no cache helps.
  const first = 60 + (marks.next('sound') % 400);
  return unmarked('sound', 'audio.play', { notes: `C4:${first} E4:${lengthMs - first}`, volume: 20 });
}

export function planAction(role: Extract<Role, 'cards' | 'talk'>, random: Random, marks: Marks): Plan {
  const n = marks.next();
  const drawn = random.next();
  if (drawn < 0.2) return marked('leds', 'leds.effect', { effect: 'blink', color: 'white', seconds: 1 + n / 1000 });
  if (drawn < 0.3) return unmarked('leds', 'leds.set', { color: random.pick(['red', 'green', '#123456']) });
  if (drawn < 0.4) return unmarked('leds', 'leds.set', { pixels: Array.from({ length: 12 }, (_, i) => colour(n * 12 + i)) });
  if (drawn < 0.55) return marked('move', 'head.move', { yaw: Math.round(-12_000 + (n % 24_000)) / 100 });
  if (drawn < 0.65) {
    const args = { address: 1 + (n % 65_000), command: Math.floor(n / 65_000) % 256 };
    return marked('command', 'robot', { command: 'ir_send', args });
  }
  if (drawn < 0.75) return unmarked('face', 'face', { emotion: random.pick(['neutral', 'happy', 'sad', 'doubt']) });
  if (role === 'talk') return marked('say', 'bubble', { text: `Call ${n}`, seconds: 0.5 });
  if (drawn < 0.85) return unmarked('show', 'screen.show card', { text: `Card ${n}` });
  if (drawn < 0.95) return unmarked('show', 'screen.show card', { image: pictureOf(n) });
  return unmarked('show', 'screen.clear card', { clear: true });
}

function colour(n: number): string {
  return `#${((n * 2_654_435_761) >>> 8).toString(16).padStart(6, '0').slice(-6)}`;
}
