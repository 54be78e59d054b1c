/**
 * Infrared remotes: the event of a press has the code of a known protocol, or a code made of the marks and spaces of another one. The decoders of the
 * protocols come after the event, and at the end what they share.
 */
import type { InputOf } from '@perch/schema';
import { eventBytesMax } from '@perch/store';
import { thresholds } from './thresholds.js';

const { repeatMs, differsFrom, differsFromUs } = thresholds.remote;

/** A code that is sent again while the button is held yields nothing. An instance that takes over meanwhile reports the press once more. */
export class Remotes {
  #last: Remote | null = null;
  #until = -Infinity;

  feed(input: InputOf<'ir'>): Record<string, unknown> | null {
    const remote = remoteOf(input);
    if (remote === null || remote === 'repeat') return null;
    const isHeld = input.ms <= this.#until && this.#last !== null && repeats(remote, this.#last);
    // The frames of a held JVC button are compared with the first one, which has its protocol.
    if (!isHeld) this.#last = remote;
    this.#until = input.ms + repeatMs;
    return isHeld ? null : remote.data;
  }
}

function repeats(remote: Remote, before: Remote): boolean {
  if (before.press === null) return false;
  if (remote.press === before.press) return !('code' in remote.data) || isSame(remote.frame, before.frame);
  const jvc = decodeJvcRepeat(remote.frame);
  return jvc !== null && pressOf(jvc) === before.press;
}

/** Two buttons of an unknown protocol may have the same code: all lengths have to agree as well. */
function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((us, index) => Math.abs(us - b[index]!) <= Math.max(differsFromUs, differsFrom * us));
}

const decoders = [decodeNec, decodeSamsung, decodeSony, decodeRc5, decodeRc6, decodeKaseikyo, decodeJvc, decodeDenon];
/** Protocols that had a name in 0.10. The others keep `raw`, from which programs of that release learned what to send. */
const withoutRaw: ReadonlySet<RemoteCode['protocol']> = new Set(['nec', 'samsung', 'sony', 'rc5']);
/** A mark, a space and a mark; less is no code, but a flash of light. */
const lengthsMin = 3;

interface Remote {
  data: Record<string, unknown>;
  /** Value that repetitions of one press share; null if repetitions cannot be recognized. */
  press: string | null;
  /** Marks and spaces of the first frame; empty if the robot decoded it. */
  frame: readonly number[];
}

/** `repeat`: the button is held; null: no code. */
export function remoteOf({ raw_us: rawUs = [], address, command }: Pick<InputOf<'ir'>, 'raw_us' | 'address' | 'command'>): Remote | 'repeat' | null {
  if (address !== undefined && command !== undefined) return { data: { address, command }, press: null, frame: [] };
  const frame = firstFrame(rawUs);
  if (rawUs.length < lengthsMin || rawUs.every((us) => us < 1)) return null;
  if (isNecRepeat(frame)) return 'repeat';
  const found = decoderResult(frame);
  if (found === null) {
    const whole = codeFrame(rawUs);
    const code = codeOf(whole);
    return { data: withRaw({ code }, rawUs), press: `code ${code}`, frame: whole };
  }
  const { protocol } = found;
  // A NEC remote sends each code once a press, and repeat codes while the button is held.
  if (protocol === 'nec') return { data: { address: found.address, command: found.command }, press: null, frame };
  const data = { protocol, address: found.address, command: found.command };
  return { data: withoutRaw.has(protocol) ? data : withRaw(data, rawUs), press: pressOf(found), frame };
}

function pressOf({ protocol, address, command, variant = 0 }: RemoteCode): string {
  return `${protocol} ${address} ${command} ${variant}`;
}

function decoderResult(frame: readonly number[]): RemoteCode | null {
  for (const decode of decoders) {
    const code = decode(frame);
    if (code !== null) return code;
  }
  return null;
}

/** Adds the lengths in whole microseconds, as many as fit into an event (about 225), ending with a mark. */
function withRaw(data: Record<string, unknown>, rawUs: readonly number[]): Record<string, unknown> {
  const raw = rawUs.map((us) => Math.round(us));
  const whole = { ...data, raw };
  if (JSON.stringify(whole).length <= eventBytesMax) return whole;
  const cut = { ...data, raw: [] as number[], truncated: ['raw'] };
  let left = eventBytesMax - JSON.stringify(cut).length;
  for (const us of raw) {
    left -= String(us).length + 1;
    if (left < 0) break;
    cut.raw.push(us);
  }
  if (cut.raw.length % 2 === 0) cut.raw.pop();
  return cut;
}

interface RemoteCode {
  protocol: 'nec' | 'nec16' | 'samsung' | 'sony' | 'rc5' | 'rc6' | 'kaseikyo' | 'jvc' | 'denon';
  address: number;
  command: number;
  /** Tells presses and codes apart that have the same address and command: a toggle bit, the number of bits. */
  variant?: number;
}

/**
 * NEC: 9 ms mark, 4.5 ms space, 32 bits (least significant first) of a 562.5 us mark and a space of 562.5 us (0) or 1687.5 us (1), a last mark.
 * Address, its inverse or the extended address' upper byte, command, its inverse; `nec16`: two bytes of command instead. While a button is held, every
 * 108 ms: 9 ms mark, 2.25 ms space, a mark.
 */
const necForm: BitForm = { unitUs: 562.5, head: [16, 8], zero: 1, one: 3, bits: 32 };
const repeatUnits = [16, 4, 1];

export function isNecRepeat(frame: readonly number[]): boolean {
  return agrees(frame, repeatUnits, necForm.unitUs);
}

/** @param frame marks and spaces in microseconds, a mark first */
export function decodeNec(frame: readonly number[]): RemoteCode | null {
  const bits = spaceBits(frame, necForm, tolerance.checked);
  if (bits === null) return null;
  const [low, high, command, inverse] = [0, 8, 16, 24].map((from) => leastFirst(bits, from, 8)) as [number, number, number, number];
  if ((command ^ inverse) === 0xff) return { protocol: 'nec', address: (low ^ high) === 0xff ? low : (high << 8) | low, command };
  return spaceBits(frame, necForm) && { protocol: 'nec16', address: (high << 8) | low, command: (inverse << 8) | command };
}

/** Samsung (32 bits): 4.5 ms mark, 4.5 ms space, then bits as in NEC: the address twice, the command and its inverse. All again every 108 ms. */
const samsungForm: BitForm = { unitUs: 562.5, head: [8, 8], zero: 1, one: 3, bits: 32 };

export function decodeSamsung(frame: readonly number[]): RemoteCode | null {
  const bits = spaceBits(frame, samsungForm, tolerance.checked);
  if (bits === null) return null;
  const [address, again, command, inverse] = [0, 8, 16, 24].map((from) => leastFirst(bits, from, 8)) as [number, number, number, number];
  return address === again && (command ^ inverse) === 0xff ? { protocol: 'samsung', address, command } : null;
}

/**
 * Sony's SIRC of 12, 15 or 20 bits: 2.4 ms mark, then for each bit a space of 0.6 ms and a mark of 1.2 ms (1) or 0.6 ms (0). Least significant first:
 * 7 of the command, 5 or 8 of the address; with 20 bits, 8 more extend an address of 5. Every 45 ms, at least three times.
 */
const sonyUnitUs = 600;
const sonyHeadUnits = 4;
const sonyCommandBits = 7;
/** A space and a mark have 2 units together, or 3 for a 1. */
const sonyOneFrom = Math.sqrt(2 * 3);

export function decodeSony(frame: readonly number[]): RemoteCode | null {
  const count = (frame.length - 1) / 2;
  if (![12, 15, 20].includes(count)) return null;
  const roughUs = (frame[0]! + frame[1]!) / (sonyHeadUnits + 1);
  const bits = Array.from({ length: count }, (_, bit) => (frame[1 + 2 * bit]! + frame[2 + 2 * bit]! >= sonyOneFrom * roughUs ? 1 : 0));
  const units = [sonyHeadUnits, ...bits.flatMap((bit) => [1, 1 + bit])];
  if (!agrees(frame, units, sonyUnitUs)) return null;
  return {
    protocol: 'sony',
    address: leastFirst(bits, sonyCommandBits, count - sonyCommandBits),
    command: leastFirst(bits, 0, sonyCommandBits),
    variant: count,
  };
}

/**
 * Philips' RC5: 14 bits of two halves of 889 us, most significant first; a 1 is a space and a mark, a 0 the reverse. Two start bits (the second is
 * the inverted seventh bit of the command), a toggle bit that changes with each press, 5 bits of address, 6 of command; every 114 ms while held.
 */
const rc5UnitUs = 889;
const rc5Bits = 14;
const rc5Halves = 2 * rc5Bits;

export function decodeRc5(frame: readonly number[]): RemoteCode | null {
  if (frame.length < rc5Bits - 1 || frame.length >= rc5Halves) return null;
  const total = frame.reduce((sum, us) => sum + us, 0);
  // The first half of the first bit, a 1, and the second half of the last bit, if that is a 0, are silence.
  const units = phaseUnits(frame, total / (rc5Halves - 1.5), 2);
  if (!agrees(frame, units, rc5UnitUs)) return null;
  const levels = `0${levelsOf(units)}`.padEnd(rc5Halves, '0');
  if (levels.length !== rc5Halves || !/^(01|10)+$/.test(levels)) return null;
  const bits = Array.from({ length: rc5Bits }, (_, bit) => (levels[2 * bit] === '0' ? 1 : 0));
  return { protocol: 'rc5', address: mostFirst(bits, 3, 5), command: (bits[1] === 0 ? 64 : 0) + mostFirst(bits, 8, 6), variant: bits[2]! };
}

/**
 * Philips' RC6: a mark of 6 and a space of 2 units of 444 us, then bits of two halves, most significant first; a 1 is a mark and a space, a 0 the
 * reverse. A start bit (1), 3 bits of the mode, a toggle bit of double width. Mode 0: 8 bits of address, 8 of command. Mode 6 with 32 bits (Media
 * Center): 16 of the customer, a toggle bit, 7 of address, 8 of command.
 */
const rc6UnitUs = 444;
const rc6Head = [6, 2] as const;
/** Start bit, mode and trailer, in units. */
const rc6TrailerAt = 8;
const rc6DataAt = 12;

export function decodeRc6(frame: readonly number[]): RemoteCode | null {
  if (frame.length < 12) return null;
  const units = [...rc6Head, ...phaseUnits(frame.slice(2), (frame[0]! + frame[1]!) / (rc6Head[0] + rc6Head[1]), 3)];
  if (!agrees(frame, units, rc6UnitUs)) return null;
  let levels = levelsOf(units.slice(2));
  // The space of a last bit that is 1 is silence.
  if (levels.length % 2 === 1) levels += '0';
  const lead = rc6Bits(levels.slice(0, rc6TrailerAt));
  const trailer = { '1100': 1, '0011': 0 }[levels.slice(rc6TrailerAt, rc6DataAt)];
  const data = rc6Bits(levels.slice(rc6DataAt));
  if (lead === null || data === null || trailer === undefined || lead[0] !== 1) return null;
  const mode = mostFirst(lead, 1, 3);
  if (mode === 0 && data.length === 16) return { protocol: 'rc6', address: mostFirst(data, 0, 8), command: mostFirst(data, 8, 8), variant: trailer };
  if (mode !== 6 || data.length !== 32) return null;
  const address = mostFirst(data, 0, 16) * 0x100 + mostFirst(data, 17, 7);
  return { protocol: 'rc6', address, command: mostFirst(data, 24, 8), variant: 2 * trailer + data[16]! };
}

function rc6Bits(levels: string): number[] | null {
  const pairs = levels.match(/../g) ?? [];
  return pairs.every((pair) => pair === '10' || pair === '01') ? pairs.map((pair) => (pair === '10' ? 1 : 0)) : null;
}

/**
 * Kaseikyo (Panasonic, Denon, Mitsubishi, Sharp, JVC): a mark of 8 and a space of 4 units of 432 us, 48 bits as in NEC, least significant first: 16 of
 * the vendor, 4 of its parity, 12 of the address, 8 of the command, 8 of parity.
 */
const kaseikyoForm: BitForm = { unitUs: 432, head: [8, 4], zero: 1, one: 3, bits: 48 };

/** The address has the vendor in front: 16 bits, then 12. */
export function decodeKaseikyo(frame: readonly number[]): RemoteCode | null {
  const bits = spaceBits(frame, kaseikyoForm, tolerance.checked);
  if (bits === null) return null;
  const parity = [0, 4, 8, 12].reduce((value, from) => value ^ leastFirst(bits, from, 4), 0);
  const [first, second, third] = [16, 24, 32].map((from) => leastFirst(bits, from, 8)) as [number, number, number];
  if (parity !== leastFirst(bits, 16, 4) || (first ^ second ^ third) !== leastFirst(bits, 40, 8)) return null;
  return { protocol: 'kaseikyo', address: leastFirst(bits, 0, 16) * 0x1000 + leastFirst(bits, 20, 12), command: third };
}

/**
 * JVC: a mark of 16 and a space of 8 units of 525 us, 16 bits as in NEC, least significant first: 8 of the address, 8 of the command. While a button
 * is held, the bits follow every 45 to 60 ms without mark and space before them.
 */
const jvcForm: BitForm = { unitUs: 525, head: [16, 8], zero: 1, one: 3, bits: 16 };

export function decodeJvc(frame: readonly number[]): RemoteCode | null {
  return jvcCode(spaceBits(frame, jvcForm));
}

/** Decodes a frame as it is sent while a button is held. Other protocols' frames look like it: it counts only after a whole one with the same code. */
export function decodeJvcRepeat(frame: readonly number[]): RemoteCode | null {
  const { head: _, ...bitsAlone } = jvcForm;
  return jvcCode(spaceBits(frame, bitsAlone));
}

function jvcCode(bits: readonly number[] | null): RemoteCode | null {
  return bits && { protocol: 'jvc', address: leastFirst(bits, 0, 8), command: leastFirst(bits, 8, 8) };
}

/**
 * Denon: 15 bits of a mark of one unit of 263 us and a space of 3 (0) or 7 (1), least significant first: 5 of the address, 8 of the command, 00. Each
 * frame is followed after 45 ms by one with the command and the last two bits inverted.
 */
const denonForm: BitForm = { unitUs: 263, zero: 3, one: 7, bits: 15 };

export function decodeDenon(frame: readonly number[]): RemoteCode | null {
  const bits = spaceBits(frame, denonForm);
  if (bits === null || bits[13] !== bits[14]) return null;
  const command = leastFirst(bits, 5, 8);
  return { protocol: 'denon', address: leastFirst(bits, 0, 5), command: bits[13] === 1 ? command ^ 0xff : command };
}

// The code of a button whose protocol has no name here: programs bind to it, so it never changes. docs/infrared.md describes it for others,
// and test/infrared-codes.test.ts pins it.

/** The longest space inside a recorded frame (Bang & Olufsen) has 15.4 ms. */
const codeGapFromUs = 16_000;
/** Lengths that differ by less than this share of the middle mark are the same; receivers are not more exact than `exactUs`. */
const sameShare = 0.35;
const exactUs = 60;
const classMax = 15;
const fnv = { offset: 0xcbf29ce484222325n, prime: 0x100000001b3n };

function codeFrame(raw: readonly number[]): readonly number[] {
  return firstFrame(raw, codeGapFromUs);
}

export function codeOf(frame: readonly number[]): string {
  const marks = frame.filter((_, index) => index % 2 === 0).toSorted((a, b) => a - b);
  const spaces = frame.filter((_, index) => index % 2 === 1).toSorted((a, b) => a - b);
  const differsFrom = Math.max(exactUs, sameShare * marks[Math.floor((marks.length - 1) / 2)]!);
  const limits = [marks, spaces].map((lengths) => lengths.filter((us, index) => index > 0 && us - lengths[index - 1]! >= differsFrom));
  const classes = frame.map((us, index) => Math.min(classMax, limits[index % 2]!.filter((from) => us >= from).length));
  let hash = fnv.offset;
  for (const each of classes) hash = BigInt.asUintN(64, (hash ^ BigInt(each.toString(16).charCodeAt(0))) * fnv.prime);
  return hash.toString(16).padStart(16, '0');
}

/**
 * Marks and spaces of infrared remotes. Receivers stretch marks and shorten spaces by up to half a unit, or the reverse, and remotes have cheap clocks:
 * a frame is compared with its own unit and its own stretch, not with a protocol's nominal lengths.
 */

/** Space that separates a frame from what follows in the same capture, us; longer than any space inside a frame of the protocols known by name. */
const frameGapFromUs = 6000;
/**
 * Maximum difference between each length and what the unit and the stretch of its frame make it; `checked` for a code that carries a check of its own
 * (an inverse, a parity): remotes and receivers were recorded with single lengths 35 % off.
 */
const tolerance = { plain: 0.25, checked: 0.4 };
/** Maximum difference between the unit of a frame and the protocol's: remotes with an RC oscillator were recorded 32 % off. */
const unitTolerance = 1 / 3;
/** Maximum stretch of the marks in units, where spaces carry the bits, and where marks do: a stretched mark could be one of two units. */
const stretchMax = { spaces: 0.5, marks: 0.3 };

/** Returns the lengths up to the first gap, without a space at their end. A single mark before a gap is a flash of light, and left out. */
export function firstFrame(raw: readonly number[], gapFrom = frameGapFromUs): readonly number[] {
  let from = 0;
  while (raw.length > from + 2 && raw[from + 1]! >= gapFrom) from += 2;
  const gapAt = raw.findIndex((us, index) => index > from && index % 2 === 1 && us >= gapFrom);
  const end = gapAt < 0 ? raw.length : gapAt;
  return raw.slice(from, end % 2 === 0 ? end - 1 : end);
}

/**
 * Estimates unit and stretch of a frame (weighted least squares) and returns whether all lengths agree with them.
 * @param units length of each mark and space in units @param unitUs the protocol's unit
 */
function agrees(frame: readonly number[], units: readonly number[], unitUs: number, stretchUnits = stretchMax.marks, off = tolerance.plain): boolean {
  if (frame.length !== units.length) return false;
  // length = units * unit + stretch for a mark, - stretch for a space; the error of a length counts relative to it.
  let signs = 0;
  let squares = 0;
  let sum = 0;
  let signed = 0;
  for (const [index, count] of units.entries()) {
    const sign = index % 2 === 0 ? 1 : -1;
    const us = frame[index]!;
    signs += sign / count;
    squares += 1 / (count * count);
    sum += us / count;
    signed += (sign * us) / (count * count);
  }
  const determinant = units.length * squares - signs * signs;
  const unit = (sum * squares - signed * signs) / determinant;
  const stretch = (signed * units.length - sum * signs) / determinant;
  if (!(Math.abs(unit - unitUs) <= unitTolerance * unitUs) || Math.abs(stretch) > stretchUnits * unit) return false;
  return units.every((count, index) => {
    const expected = count * unit;
    return Math.abs(frame[index]! - (index % 2 === 0 ? stretch : -stretch) - expected) <= off * expected;
  });
}

interface BitForm {
  unitUs: number;
  /** Mark and space before the first bit, in units. Absent: the frame begins with a bit. */
  head?: readonly [mark: number, space: number];
  /** Space of each bit after a mark of one unit, in units. */
  zero: number;
  one: number;
  bits: number;
}

/** Reads bits that are spaces of two lengths, with a mark of one unit before each and after the last. @returns null if the frame does not agree */
function spaceBits(frame: readonly number[], { unitUs, head, zero, one, bits }: BitForm, off = tolerance.plain): number[] | null {
  const from = head === undefined ? 0 : 2;
  if (frame.length !== from + 2 * bits + 1) return null;
  // The last mark only ends the last space; Onkyo's remotes make it half as long again, and receivers shorten it by up to half a unit.
  const last = frame.at(-1)! / unitUs;
  if (last < 1 - off - stretchMax.spaces || last > 2) return null;
  const roughs = head === undefined ? [unitUs] : [(frame[0]! + frame[1]!) / (head[0] + head[1]), unitUs];
  for (const roughUs of roughs) {
    // A mark and its space together have the same length however far the receiver stretches marks.
    const oneFrom = roughUs * Math.sqrt((1 + zero) * (1 + one));
    const found = Array.from({ length: bits }, (_, bit) => (frame[from + 2 * bit]! + frame[from + 2 * bit + 1]! >= oneFrom ? 1 : 0));
    const units = [...(head ?? []), ...found.flatMap((bit) => [1, bit === 1 ? one : zero])];
    if (agrees(frame.slice(0, -1), units, unitUs, stretchMax.spaces, off)) return found;
  }
  return null;
}

/**
 * Returns how many units each length of a frame in two-phase code has, 1 to `most`; the frame still has to be compared with them.
 * @param unitUs the frame's unit, roughly
 */
function phaseUnits(frame: readonly number[], unitUs: number, most: number): number[] {
  const shortest = (from: 0 | 1): number => Math.min(...frame.filter((_, index) => index % 2 === from));
  const stretch = Math.max(-stretchMax.marks * unitUs, Math.min(stretchMax.marks * unitUs, (shortest(0) - shortest(1)) / 2));
  return frame.map((us, index) => Math.max(1, Math.min(most, Math.round((us - (index % 2 === 0 ? stretch : -stretch)) / unitUs))));
}

/** Returns a frame's levels, one for each unit: 1 for a mark, 0 for a space. */
function levelsOf(units: readonly number[]): string {
  return units.map((count, index) => (index % 2 === 0 ? '1' : '0').repeat(count)).join('');
}

function leastFirst(bits: readonly number[], from: number, count: number): number {
  return bits.slice(from, from + count).reduceRight((value, bit) => value * 2 + bit, 0);
}

function mostFirst(bits: readonly number[], from: number, count: number): number {
  return bits.slice(from, from + count).reduce((value, bit) => value * 2 + bit, 0);
}
