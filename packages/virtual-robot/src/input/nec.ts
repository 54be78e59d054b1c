/**
 * Generates the output of an infrared receiver for a remote control: marks and spaces in microseconds, a mark first.
 * NEC: 9 ms mark, 4.5 ms space, 32 bits (least significant first) of a 562.5 us mark and a 562.5 or 1687.5 us space, a last mark.
 */

const unitUs = 562.5;

export interface Reception {
  /** Maximum error of each mark and space, as a share of its length: 0.1 is up to 10 % in both directions. */
  jitter?: number;
  random?: () => number;
}

/**
 * @param address 0..255, sent with its inverse, or 256..65535 in NEC's extended form, without one; its upper byte must not be the inverse of the
 * lower @param command 0..255
 */
export function necFrame(address: number, command: number, reception: Reception = {}): number[] {
  for (const [name, value, max] of [
    ['address', address, 0xffff],
    ['command', command, 0xff],
  ] as const) {
    if (!Number.isInteger(value) || value < 0 || value > max) throw new RangeError(`${name}: an integer from 0 to ${max}, not ${value}`);
  }
  const low = address & 0xff;
  const high = address > 0xff ? address >> 8 : ~low & 0xff;
  const raw = [16 * unitUs, 8 * unitUs];
  for (const byte of [low, high, command, ~command & 0xff]) {
    for (let bit = 0; bit < 8; bit += 1) raw.push(unitUs, (byte >> bit) & 1 ? 3 * unitUs : unitUs);
  }
  raw.push(unitUs);
  return received(raw, reception);
}

/** Sent every 108 ms while the button is held. */
export function necRepeat(reception: Reception = {}): number[] {
  return received([16 * unitUs, 4 * unitUs, unitUs], reception);
}

export function received(raw: number[], { jitter = 0, random = Math.random }: Reception): number[] {
  return raw.map((us) => Math.round(us * (1 + jitter * (2 * random() - 1))));
}
