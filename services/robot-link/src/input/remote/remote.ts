/** Event data of an infrared remote: the code of a known protocol, or the marks and spaces of another one. */
import type { InputOf } from '@perch/schema';
import { eventBytesMax } from '@perch/store';
import { codeFrame, codeOf } from './code.js';
import { decodeDenon } from './denon.js';
import { decodeJvc } from './jvc.js';
import { decodeKaseikyo } from './kaseikyo.js';
import { firstFrame } from './lengths.js';
import { decodeNec, isNecRepeat } from './nec.js';
import { decodeRc5 } from './rc5.js';
import { decodeRc6 } from './rc6.js';
import type { RemoteCode } from './remote-code.js';
import { decodeSamsung } from './samsung.js';
import { decodeSony } from './sony.js';

const decoders = [decodeNec, decodeSamsung, decodeSony, decodeRc5, decodeRc6, decodeKaseikyo, decodeJvc, decodeDenon];
/** Protocols that had a name in 0.10. The others keep `raw`, from which programs of that release learned what to send. */
const withoutRaw: ReadonlySet<RemoteCode['protocol']> = new Set(['nec', 'samsung', 'sony', 'rc5']);
/** A mark, a space and a mark; less is no code, but a flash of light. */
const lengthsMin = 3;

export interface Remote {
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

export function pressOf({ protocol, address, command, variant = 0 }: RemoteCode): string {
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
