import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { timings } from '../../src/own-screen/index.js';
import { faceSheet, faceSheetFile } from './face-sheet.js';

const page = readFileSync(new URL('../../../../docs/robot-link.md', import.meta.url), 'utf8');

const program = readFileSync(new URL('../../../../robots/micropython/perch/life.py', import.meta.url), 'utf8');

/** Returns the numbers that the robot program assigns to names in capitals, and those of each reaction. Lengths are tenths of pixels. */
function programmed(): Record<string, number | number[]> {
  const assigned = [...program.matchAll(/^([A-Z][A-Z_, ]*) = ([\d, ]+)$/gm)].flatMap(([, names, values]) => {
    const numbers = values!.split(',').map(Number);
    return names!.split(',').map((name, at) => [name.trim(), numbers[at]!] as const);
  });
  const reactions = [...program.matchAll(/^ {4}"(\w+)": \(([\d, ]+)\),$/gm)].map(
    ([, name, values]) => [name!, values!.split(',').map(Number)] as const,
  );
  return Object.fromEntries([...assigned, ...reactions]);
}

/** Returns the timings of the page's table: a number, or numbers by name. */
function documented(): Record<string, unknown> {
  const section = page.slice(page.indexOf('## The face by itself')).split('\n## ', 2)[0]!;
  const rows = [...section.matchAll(/^\| `(\w+)` \|.*\| (.+) \|$/gm)];
  return Object.fromEntries(
    rows.map(([, name, cell]) => {
      const named = [...cell!.matchAll(/`(\w+)` ([\d.]+)/g)].map(([, part, value]) => [part, Number(value)] as const);
      return [name, named.length === 0 ? Number(cell) : Object.fromEntries(named)];
    }),
  );
}

describe('the documented face', () => {
  it('has the timings of the reference in docs/robot-link.md', () => {
    assert.deepEqual(documented(), timings);
  });

  it('has the timings that the robot program of the StackChan uses', () => {
    const { emotion, bubble, breath, blink, gaze, talk, shaken, dream } = timings;
    const reaction = (kind: 'petted' | 'shaken' | 'lifted'): number[] => [timings[kind].attack, timings[kind].hold, timings[kind].release];
    assert.deepEqual(programmed(), {
      EMOTION_MS: emotion,
      BUBBLE_MS: bubble,
      BREATH_MS: breath.period,
      BREATH_ASLEEP_MS: breath.periodAsleep,
      BLINK_SLOT: blink.slot,
      BLINK_DELAY: blink.delayMax,
      CLOSE_MS: blink.close,
      CLOSED_MS: blink.closed,
      OPEN_MS: blink.open,
      DOUBLED_MS: blink.doubledAfter,
      GAZE_SLOT: gaze.slot,
      GAZE_DELAY: gaze.delayMax,
      GAZE_MS: gaze.move,
      SYLLABLE_MS: talk.syllable,
      LETTER_MS: talk.letter,
      TALK_MS_MAX: talk.max,
      FADE_MS: talk.fade,
      OPENS: 10 * talk.opens,
      SHAKEN_TURN: shaken.turn,
      SHAKEN_SWAY: 10 * shaken.sway,
      DREAM_MS: dream.period,
      petted: reaction('petted'),
      shaken: reaction('shaken'),
      lifted: reaction('lifted'),
    });
  });

  it('docs/images/face.svg has the face as it is drawn now', () => {
    assert.equal(readFileSync(faceSheetFile, 'utf8'), faceSheet(), 'run npx pnpm@10.34.9 -r run generate');
  });
});
