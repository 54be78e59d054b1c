/** Event data of an infrared remote: the code of a known protocol, or the marks and spaces of another one. */
import type { InputOf } from '@perch/schema';
import { eventBytesMax } from '@perch/store';
import { decodeNec } from './nec.js';
import { decodeRc5 } from './rc5.js';
import { decodeSamsung } from './samsung.js';
import { decodeSony } from './sony.js';

/** JSON around the numbers of `raw`. */
const aroundBytes = '{"raw":[]}'.length;
/** A mark, a space and a mark; less is no code, but a flash of light. */
const lengthsMin = 3;

export interface Remote {
  data: Record<string, unknown>;
  /** Value that repetitions of one press share; null if repetitions cannot be recognized. */
  press: string | null;
}

/** `repeat`: the button is held; null: no code. `raw`: whole microseconds, as many as fit into an event (about 200), ending with a mark. */
export function remoteOf({ raw_us: rawUs = [], address, command }: Pick<InputOf<'ir'>, 'raw_us' | 'address' | 'command'>): Remote | 'repeat' | null {
  if (address !== undefined && command !== undefined) return { data: { address, command }, press: null };
  if (rawUs.length < lengthsMin || rawUs.every((us) => us < 1)) return null;
  const nec = decodeNec(rawUs);
  if (nec === 'repeat') return 'repeat';
  // A NEC remote sends each code once a press, and repeat codes while the button is held.
  if (nec !== null) return { data: { address: nec.address, command: nec.command }, press: null };
  const samsung = decodeSamsung(rawUs);
  if (samsung !== null) return other('samsung', samsung);
  const sony = decodeSony(rawUs);
  if (sony !== null) return other('sony', sony);
  const rc5 = decodeRc5(rawUs);
  if (rc5 !== null) return other('rc5', rc5, rc5.toggle);
  return { data: { raw: rawOf(rawUs) }, press: null };
}

function other(protocol: string, { address, command }: { address: number; command: number }, toggle = 0): Remote {
  return { data: { protocol, address, command }, press: `${protocol} ${address} ${command} ${toggle}` };
}

function rawOf(rawUs: readonly number[]): number[] {
  const raw: number[] = [];
  let left = eventBytesMax - aroundBytes;
  for (const us of rawUs) {
    const whole = Math.round(us);
    left -= String(whole).length + 1;
    if (left < 0) break;
    raw.push(whole);
  }
  if (raw.length < rawUs.length && raw.length % 2 === 0) raw.pop();
  return raw;
}
