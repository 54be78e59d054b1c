import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { notesDurationMs, NotesError, parseNotes } from '../src/index.js';

function problemOf(text: string): NotesError {
  try {
    parseNotes(text);
  } catch (error) {
    assert.ok(error instanceof NotesError);
    return error;
  }
  throw new Error(`accepted: ${text.slice(0, 40)}`);
}

const semitones: Record<string, number> = { C: 0, D: 2, E: 4, F: 5, G: 7, A: 9, B: 11 };
const pitch = fc.record({
  letter: fc.constantFrom(...'CDEFGABcdefgab'.split('')),
  accidental: fc.constantFrom('', '#', 'b', 'B'),
  octave: fc.integer({ min: 0, max: 8 }),
});

describe('notes', () => {
  it('reads A4 as semitone 69, C4 as 60, and - as a rest', () => {
    assert.deepEqual(parseNotes('C4:200 A4:1 -:30 F#5:400 Bb3:9'), [
      { semitone: 60, ms: 200 },
      { semitone: 69, ms: 1 },
      { semitone: null, ms: 30 },
      { semitone: 78, ms: 400 },
      { semitone: 58, ms: 9 },
    ]);
  });

  it('accepts any case, any white space and enharmonic names', () => {
    assert.deepEqual(
      parseNotes('\n c4:5\t B#3:5  CB5:5\r\nbb4:5 BB4:5 '),
      [60, 60, 71, 70, 70].map((semitone) => ({ semitone, ms: 5 })),
    );
  });

  it('reads every melody of the syntax exactly', () => {
    const entry = fc.record({ pitch: fc.option(pitch), ms: fc.integer({ min: 1, max: 300 }) });
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 100 }), fc.constantFrom(' ', '  ', '\n'), (entries, space) => {
        const text = entries
          .map((each) => `${each.pitch === null ? '-' : each.pitch.letter + each.pitch.accidental + each.pitch.octave}:${each.ms}`)
          .join(space);
        const expected = entries.map((each) => {
          if (each.pitch === null) return { semitone: null, ms: each.ms };
          const shift = { '': 0, '#': 1, b: -1, B: -1 }[each.pitch.accidental];
          return { semitone: 12 * (each.pitch.octave + 1) + semitones[each.pitch.letter.toUpperCase()]! + shift!, ms: each.ms };
        });
        const notes = parseNotes(text);
        assert.deepEqual(notes, expected);
        assert.equal(
          notesDurationMs(notes),
          entries.reduce((sum, each) => sum + each.ms, 0),
        );
      }),
    );
  });

  it('either reads a text completely or rejects it with the first wrong entry', () => {
    const piece = fc.constantFrom('C4:200', '-:1', 'H4:2', 'C4', ':', 'C9:1', 'C4:0', 'C4:30000', '💥:5', 'C4:1:1', '\u00a0');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(piece).map((pieces) => pieces.join(' ')),
        ),
        (text) => {
          try {
            const notes = parseNotes(text);
            assert.equal(notes.length, text.match(/\S+/g)?.length);
            assert.ok(notesDurationMs(notes) <= 30_000);
          } catch (error) {
            if (!(error instanceof NotesError)) throw error;
            assert.match(error.message, error.index === null ? /^notes: / : new RegExp(`^notes\\[${error.index}\\]: `));
            const entries = text.match(/\S+/g) ?? [];
            if (error.index !== null) assert.ok(error.index < entries.length);
            if (error.index !== null && error.index > 0) parseNotes(entries.slice(0, error.index).join(' '));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  for (const [text, message] of [
    ['C4:200 H4:200', /^notes\[1\]: "H4" is not a note/],
    ['C4:200 C4:200 C4:1 C4', /^notes\[3\]: "C4" is not <note>:<ms>/],
    ['C9:1', /^notes\[0\]: "C9" is not a note/],
    ['C##4:1', /is not a note/],
    ['C-1:1', /is not a note/],
    [':200', /^notes\[0\]: "" is not a note/],
    ['--:200', /is not a note/],
    ['♯4:200', /is not a note/],
    ['C4:', /^notes\[0\]: "" is not a length/],
    ['C4:0', /"0" is not a length/],
    ['C4:30001', /"30001" is not a length/],
    ['C4:-5', /"-5" is not a length/],
    ['C4:1.5', /"1\.5" is not a length/],
    ['C4:1e3', /"1e3" is not a length/],
    ['C4:200:3', /"200:3" is not a length/],
    ['C4:٣', /is not a length/],
    ['C4 : 200', /^notes\[0\]/],
    ['C4:200,D4:200', /is not a length/],
    ['C4:30000 -:1', /^notes\[1\]: the melody exceeds 30 s/],
    ['', /^notes: at least one/],
    [' \n', /^notes: at least one/],
  ] as const) {
    it(`rejects ${JSON.stringify(text)}`, () => assert.match(problemOf(text).message, message));
  }

  it('accepts exactly 30 s, in one entry or in 30,000', () => {
    assert.equal(notesDurationMs(parseNotes('A4:30000')), 30_000);
    assert.equal(parseNotes('A4:1 '.repeat(30_000)).length, 30_000);
  });

  it('rejects any text of 2 MB quickly, and quotes only a little of it', () => {
    const bytes = 2_000_000;
    for (const text of [
      ' '.repeat(bytes),
      'C'.repeat(bytes),
      ':'.repeat(bytes),
      'C4:1 '.repeat(bytes / 5),
      '💥'.repeat(bytes / 4),
      `C4:${'0'.repeat(bytes)}1`,
    ]) {
      const before = process.cpuUsage();
      const { message } = problemOf(text);
      const { user, system } = process.cpuUsage(before);
      assert.ok((user + system) / 1000 < 2000, `${(user + system) / 1000} ms for ${text.slice(0, 10)}`);
      assert.ok(message.length < 150);
      assert.equal(Buffer.from(message).toString(), message, 'half a character');
    }
  });
});
