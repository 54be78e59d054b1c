import { toBase64 } from '../connection/base64.js';
import { Emitter } from '../emitter.js';
import type { Fields } from '../connection/messages.js';
import { burst, type Burst, type Motion } from '../input/motion.js';
import { ndefText, ndefUri } from '../input/ndef.js';
import { necFrame, necRepeat, received } from '../input/nec.js';

export interface Pace {
  /** The robot's clock is advanced instead of waiting. */
  instant?: boolean;
}
export interface Press extends Pace {
  heldMs?: number;
}
export interface Touch extends Press {
  /** How long the screen has shown what it shows when the finger comes down. Default: 350 ms, from when on an ordinary question counts a touch. */
  lookMs?: number;
}
/** A tag or card. Its content is at most one of `uri`, `text` and `ndef` (a raw message). */
export interface Tag {
  uid: string;
  type?: string;
  uri?: string;
  text?: string;
  language?: string;
  ndef?: Uint8Array;
}
export type RemoteButton = Pace & { jitter?: number } & ({ address: number; command: number; repeats?: number } | { raw: number[] });

const sliceMs = 100;
const necEveryMs = 108;
const proximityQuiet = 40;

/** Every method resolves when its last input was reported; input made while offline is kept and sent later. */
export abstract class Body<Events extends object> extends Emitter<Events> {
  protected proximityRaw = proximityQuiet;
  protected usb = true;
  /** The default of a touch. */
  protected lookMs = 350;
  /** The robot's clock in the last ack of a command that may have changed the screen. */
  protected screenMs = -Infinity;
  #tag: string | null = null;
  #down: { x: number; y: number } | null = null;

  abstract get ms(): number;
  abstract input(kind: string, fields: Fields): number;
  protected abstract passTime(ms: number, pace: Pace): Promise<void>;
  protected abstract spriteAt(x: number, y: number): string | null;
  protected abstract random(): number;

  /** Lets time pass until the screen has shown for `lookMs` what it shows now, as before a touch that counts. */
  async look({ lookMs = this.lookMs, ...pace }: Pick<Touch, 'lookMs' | 'instant'> = {}): Promise<void> {
    const until = this.screenMs + lookMs;
    for (let leftMs = until - this.ms; leftMs > 0; leftMs = until - this.ms) await this.passTime(leftMs, pace);
  }

  touchDown(x: number, y: number): number {
    this.#down = { x, y };
    const dark = this.isTouchedDark();
    if (dark) this.screenMs = this.ms;
    return this.input('touch_down', { x, y, ...(dark && { dark: true }) });
  }

  /** Called as a touch of the screen begins; returns whether it meets a screen that cannot be read. */
  protected isTouchedDark(): boolean {
    return false;
  }

  /** @param heldMs as measured by the touch controller */
  touchUp(x: number, y: number, heldMs: number): number {
    const began = this.#down ?? { x, y };
    this.#down = null;
    const sprite = this.spriteAt(began.x, began.y);
    return this.input('touch_up', { x, y, held_ms: Math.round(heldMs), ...(sprite === null ? {} : { sprite }) });
  }

  async tap(x: number, y: number, { heldMs = 90, ...pace }: Touch = {}): Promise<void> {
    await this.slide([x, y], [x, y], { heldMs, ...pace });
  }

  async longTouch(x: number, y: number, { heldMs = 1200, ...pace }: Touch = {}): Promise<void> {
    await this.slide([x, y], [x, y], { heldMs, ...pace });
  }

  async slide(from: [number, number], to: [number, number], { heldMs = 250, lookMs = this.lookMs, ...pace }: Touch = {}): Promise<void> {
    await this.look({ lookMs, ...pace });
    this.touchDown(...from);
    await this.passTime(heldMs, pace);
    this.touchUp(...to, heldMs);
  }

  /** @param zone 0 front, 1 middle, 2 back */
  headDown(zone: number): number {
    return this.input('head_down', { zone });
  }

  headSwipe(zone: number, direction: 'forward' | 'back'): number {
    return this.input('head_swipe', { zone, dir: direction });
  }

  /** @param heldMs as measured by the touch controller */
  headUp(zone: number, heldMs: number): number {
    return this.input('head_up', { zone, held_ms: Math.round(heldMs) });
  }

  async pat({ heldMs = 200, zone = 1, ...pace }: Press & { zone?: number } = {}): Promise<void> {
    this.headDown(zone);
    await this.passTime(heldMs, pace);
    this.headUp(zone, heldMs);
  }

  async pet({ heldMs = 1500, ...press }: Press & { zone?: number } = {}): Promise<void> {
    await this.pat({ heldMs, ...press });
  }

  async stroke(direction: 'forward' | 'back', { heldMs = 450, ...pace }: Press = {}): Promise<void> {
    const zones = direction === 'back' ? ([0, 2] as const) : ([2, 0] as const);
    this.headDown(zones[0]);
    await this.passTime(heldMs * 0.8, pace);
    this.headSwipe(zones[1], direction);
    await this.passTime(heldMs * 0.2, pace);
    this.headUp(zones[1], heldMs);
  }

  shake(): number {
    return this.imuBurst('shake');
  }

  lift(): number {
    return this.imuBurst('lift');
  }

  /** The input's `ms` is the time of the last sample. */
  imuBurst(motion: Motion | Burst): number {
    return this.input('imu_burst', { ...(typeof motion === 'string' ? burst(motion, () => this.random()) : motion) });
  }

  /** One value every 100 ms. */
  async proximity(raws: readonly number[], pace: Pace = {}): Promise<void> {
    for (const [index, raw] of raws.entries()) {
      if (index > 0) await this.passTime(sliceMs, pace);
      this.proximityRaw = raw;
      this.input('prox', { raw });
    }
  }

  async comeNear(pace: Pace = {}): Promise<void> {
    await this.proximity([90, 180, 330, 480, 560, ...this.#still(600)], pace);
  }

  async goAway(pace: Pace = {}): Promise<void> {
    await this.proximity([430, 260, 140, 80, 50, ...this.#still(proximityQuiet)], pace);
  }

  holdTag(tag: Tag): number {
    const ndef = tag.ndef ?? (tag.uri !== undefined ? ndefUri(tag.uri) : tag.text !== undefined ? ndefText(tag.text, tag.language) : null);
    this.#tag = tag.uid;
    return this.input('nfc_in', { uid: tag.uid, type: tag.type ?? 'NTAG213', ...(ndef ? { ndef_b64: toBase64(ndef) } : {}) });
  }

  takeTag(): number | null {
    if (this.#tag === null) return null;
    const uid = this.#tag;
    this.#tag = null;
    return this.input('nfc_out', { uid });
  }

  /** NEC with repeat frames, or marks and spaces of another protocol. */
  async pressRemote(button: RemoteButton): Promise<void> {
    const reception = { jitter: button.jitter ?? 0.08, random: () => this.random() };
    if ('raw' in button) {
      this.input('ir', { raw_us: received(button.raw, reception) });
      return;
    }
    this.input('ir', { raw_us: necFrame(button.address, button.command, reception) });
    for (let repeat = 0; repeat < (button.repeats ?? 0); repeat += 1) {
      await this.passTime(necEveryMs, button);
      this.input('ir', { raw_us: necRepeat(reception) });
    }
  }

  async pressPower({ heldMs = 150, ...pace }: Press = {}): Promise<void> {
    await this.passTime(heldMs, pace);
    this.powerKey(heldMs);
  }

  remoteCode(address: number, command: number): number {
    return this.input('ir', { address, command });
  }

  /** As a power chip that measures presses itself. */
  powerPress(press: 'short' | 'long'): number {
    return this.input('power_key', { press });
  }

  /** @param heldMs as measured by the power chip */
  powerKey(heldMs: number): number {
    return this.input('power_key', { held_ms: Math.round(heldMs) });
  }

  plug(): number {
    this.usb = true;
    return this.input('usb', { present: true });
  }

  unplug(): number {
    this.usb = false;
    return this.input('usb', { present: false });
  }

  protected noteScreen({ name, args, ack }: { name: string; args: Fields; ack: { ok: boolean; ms: number } | null }): void {
    const own = name === 'robot' ? args['command'] : null;
    if (ack?.ok === true && (name.startsWith('screen.') || name === 'face' || own === 'screen' || own === 'brightness')) this.screenMs = ack.ms;
  }

  #still(raw: number): number[] {
    return Array.from({ length: 10 }, () => Math.round(raw + 6 * (2 * this.random() - 1)));
  }
}
