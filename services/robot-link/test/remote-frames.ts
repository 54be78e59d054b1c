/**
 * Frames of infrared remotes, built from others' descriptions of the protocols and apart from the decoders. Lengths in microseconds:
 *
 * - crankyoldgit/IRremoteESP8266 v2.9.0: src/ir_NEC.h, ir_Samsung.cpp, ir_Sony.cpp, ir_RC5_RC6.cpp, ir_JVC.cpp, ir_Denon.cpp, ir_Sharp.cpp, ir_LG.cpp,
 *   ir_Mitsubishi.cpp, ir_Whynter.cpp, ir_Dish.cpp, ir_RCMM.cpp
 * - Arduino-IRremote/Arduino-IRremote 4.7.1: src/ir_Kaseikyo.hpp (48 bits), ir_Denon.hpp (inverted frames), ir_NEC.hpp (16-bit commands, repeats)
 * - flipperdevices/flipperzero-firmware: lib/infrared/encoder_decoder/kaseikyo/infrared_encoder_kaseikyo.c (both parities), rc6/infrared_encoder_rc6.c
 *   (trailer of double width)
 */
export type NamedProtocol = 'nec' | 'nec16' | 'samsung' | 'sony' | 'rc5' | 'rc6' | 'kaseikyo' | 'jvc' | 'denon';

export interface RemoteFrame {
  protocol: NamedProtocol;
  address: number;
  command: number;
  raw: number[];
}

type Random = () => number;

export const bitsOf = (value: number, count: number): number[] => Array.from({ length: count }, (_, bit) => Math.floor(value / 2 ** bit) % 2);

/** A mark before each bit's space, and a last one. */
function spaceCoded(head: readonly number[], bits: readonly number[], markUs: number, zeroUs: number, oneUs: number): number[] {
  return [...head, ...bits.flatMap((bit) => [markUs, bit === 1 ? oneUs : zeroUs]), markUs];
}

/** Joins equal levels, leaves out the silence before and after. */
function fromLevels(levels: readonly number[], halfUs: number): number[] {
  const from = levels.indexOf(1);
  const inner = levels.slice(from, levels.lastIndexOf(1) + 1);
  const lengths: number[] = [];
  for (const [index, level] of inner.entries()) {
    if (index > 0 && level === inner[index - 1]) lengths.push(lengths.pop()! + halfUs);
    else lengths.push(halfUs);
  }
  return lengths;
}

export function necRaw(address: number, command: number): number[] {
  return spaceCoded([8960, 4480], [...bitsOf(address, 16), ...bitsOf(command, 16)], 560, 560, 1680);
}

export function samsungRaw(address: number, command: number): number[] {
  return spaceCoded(
    [4480, 4480],
    [address, address, command, command ^ 0xff].flatMap((byte) => bitsOf(byte, 8)),
    560,
    560,
    1680,
  );
}

export function sonyRaw(address: number, command: number, bits: number): number[] {
  return [2400, ...[...bitsOf(command, 7), ...bitsOf(address, bits - 7)].flatMap((bit) => [600, bit === 1 ? 1200 : 600])];
}

export function rc5Raw(address: number, command: number, toggle: number): number[] {
  const bits = [1, command < 64 ? 1 : 0, toggle, ...bitsOf(address, 5).toReversed(), ...bitsOf(command & 63, 6).toReversed()];
  return fromLevels(
    bits.flatMap((bit) => (bit === 1 ? [0, 1] : [1, 0])),
    889,
  );
}

/** @param mode 0 with 16 bits of data, or 6 with 32 */
export function rc6Raw(mode: number, data: readonly number[], trailer: number): number[] {
  const bit = (value: number, width = 1): number[] => (value === 1 ? [1, 0] : [0, 1]).flatMap((level) => Array.from({ length: width }, () => level));
  const head = [1, 1, 1, 1, 1, 1, 0, 0];
  const lead = [1, ...bitsOf(mode, 3).toReversed()].flatMap((value) => bit(value));
  return fromLevels([...head, ...lead, ...bit(trailer, 2), ...data.flatMap((value) => bit(value))], 444);
}

export function kaseikyoRaw(vendor: number, address: number, command: number): number[] {
  const folded = (vendor ^ (vendor >> 8)) & 0xff;
  const first = ((folded ^ (folded >> 4)) & 0x0f) | ((address & 0x0f) << 4);
  const second = address >> 4;
  const bytes = [vendor & 0xff, vendor >> 8, first, second, command, first ^ second ^ command];
  return spaceCoded(
    [3456, 1728],
    bytes.flatMap((byte) => bitsOf(byte, 8)),
    432,
    432,
    1296,
  );
}

export function jvcRaw(address: number, command: number, hasHead = true): number[] {
  return spaceCoded(hasHead ? [8400, 4200] : [], [...bitsOf(address, 8), ...bitsOf(command, 8)], 525, 525, 1725);
}

/** @param last 0 for Denon's first frame and 3 for the inverted one, 1 and 2 for Sharp */
export function denonRaw(address: number, command: number, last = 0): number[] {
  return spaceCoded([], [...bitsOf(address, 5), ...bitsOf(command, 8), ...bitsOf(last, 2)], 263, 789, 1841);
}

const whole = (random: Random, below: number): number => Math.floor(random() * below);

/** Returns a frame of each protocol with a name; some have several forms. */
export function namedFrames(random: Random): RemoteFrame[] {
  const byte = (): number => whole(random, 256);
  const frames: RemoteFrame[] = [];
  const add = (protocol: NamedProtocol, address: number, command: number, raw: number[]): void =>
    void frames.push({ protocol, address, command, raw });
  const [address, command] = [byte(), byte()];
  add('nec', address, command, necRaw(address | ((address ^ 0xff) << 8), command | ((command ^ 0xff) << 8)));
  const wide = (address << 8) | ((address + 1 + whole(random, 200)) & 0xff);
  const isShort = ((wide ^ (wide >> 8)) & 0xff) === 0xff;
  add('nec', isShort ? wide & 0xff : wide, command, necRaw(wide, command | ((command ^ 0xff) << 8)));
  const inverse = (command ^ 0xff ^ (1 + whole(random, 255))) & 0xff;
  add('nec16', wide, command | (inverse << 8), necRaw(wide, command | (inverse << 8)));
  add('samsung', address, command, samsungRaw(address, command));
  for (const bits of [12, 15, 20]) {
    const [at, key] = [whole(random, 2 ** (bits - 7)), whole(random, 128)];
    add('sony', at, key, sonyRaw(at, key, bits));
  }
  const [system, key] = [whole(random, 32), whole(random, 128)];
  add('rc5', system, key, rc5Raw(system, key, whole(random, 2)));
  const mostFirst = (value: number, count: number): number[] => bitsOf(value, count).toReversed();
  add('rc6', address, command, rc6Raw(0, [...mostFirst(address, 8), ...mostFirst(command, 8)], whole(random, 2)));
  const [customer, device] = [whole(random, 65_536), whole(random, 128)];
  const data = [...mostFirst(customer, 16), whole(random, 2), ...mostFirst(device, 7), ...mostFirst(command, 8)];
  add('rc6', customer * 256 + device, command, rc6Raw(6, data, 0));
  const [vendor, part] = [whole(random, 65_536), whole(random, 4096)];
  add('kaseikyo', vendor * 4096 + part, command, kaseikyoRaw(vendor, part, command));
  add('jvc', address, command, jvcRaw(address, command));
  add('denon', system, command, denonRaw(system, command));
  add('denon', system, command, denonRaw(system, command ^ 0xff, 3));
  return frames;
}

/** Returns frames of protocols without a name here, by what they are called elsewhere. */
export function unnamedFrames(random: Random): [name: string, raw: number[]][] {
  const bits = (count: number): number[] => Array.from({ length: count }, () => whole(random, 2));
  return [
    ['LG', spaceCoded([8500, 4250], bits(28), 550, 550, 1600)],
    ['LG2', spaceCoded([3200, 9900], bits(28), 480, 550, 1600)],
    ['Samsung36', spaceCoded([4515, 4438], bits(36), 512, 490, 1468)],
    ['Sharp', denonRaw(whole(random, 32), whole(random, 256), 1 + whole(random, 2))],
    ['Mitsubishi', spaceCoded([], bits(16), 300, 900, 2100)],
    ['Whynter', spaceCoded([750, 750, 2850, 2850], bits(32), 750, 750, 2150)],
    ['Dish', spaceCoded([400, 6100], bits(16), 400, 2800, 1700)],
    ['RC-MM', [416, 277, ...Array.from({ length: 12 }, () => [166, [277, 444, 611, 777][whole(random, 4)]!]).flat(), 166]],
    ['Panasonic without a valid parity', spaceCoded([3456, 1728], [...bits(46), 0, 1], 432, 432, 1296)],
    ['JVC, held', jvcRaw(whole(random, 256), whole(random, 256), false)],
  ];
}

/** Returns the lengths as a receiver reports them: `clock` times as long, marks longer and spaces shorter by `stretch`, each `off` more or less. */
export function received(
  raw: readonly number[],
  { clock = 1, stretch = 0, off = () => 0 }: { clock?: number; stretch?: number; off?: Random },
): number[] {
  return raw.map((us, index) => Math.max(20, Math.round(us * clock + (index % 2 === 0 ? stretch : -stretch) + off())));
}

/** A linear congruential generator, so that a frame is the same in every run. */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

/** Normal distribution, cut at three times `sd`. */
export function noise(random: Random, sd: number): Random {
  return () => {
    let sum = -6;
    for (let i = 0; i < 12; i += 1) sum += random();
    return Math.max(-3 * sd, Math.min(3 * sd, sd * sum));
  };
}
