/** The published state of one robot: retained messages by topic, sent when they change, and again after each connection to the broker. */
import type { EventData, StateAnswer } from '@perch/client';
import type { Reported } from '../discovery/readings.js';
import { limits } from '@perch/schema';
import { lightIn, lightOff, type LightState } from '../commands/light.js';
import type { RobotTopics } from '../topics.js';

export type Publish = (topic: string, payload: string, options?: { retain?: boolean }) => boolean;

/** Home Assistant refuses states of more characters. */
const stateCharacters = 255;
const questionsKept = 50;
/** No sound of the bridge lasts longer. */
const soundMsMax = limits.sound.notesMsMax;
/** Home Assistant's payload for an unknown state. */
const unknownSound = 'None';

/** A question of the bridge. */
export interface AskedQuestion {
  /** That of the caller, or made by the bridge. */
  id: string;
  question: string;
}

export class RobotState {
  readonly topics: RobotTopics;
  readonly #publish: Publish;
  readonly #retained = new Map<string, string>();
  /** Reports of the robot, by the names of readings, and settings of its owner. */
  #reported: Reported = {};
  readonly #withNetwork: boolean;
  #emotion: string | null = null;
  /** Null: unknown. Robots do not report their LEDs. */
  #light: LightState | null = null;
  #isSoundKnown = false;
  #soundTimer: ReturnType<typeof setTimeout> | undefined;
  /** The bridge's open questions by wait. */
  readonly #questions = new Map<string, AskedQuestion>();
  #openWait: string | null = null;
  #asking: Promise<unknown> = Promise.resolve();
  #wasRestored = false;

  /** @param withNetwork whether to publish Wi-Fi name and IP address, which the broker shows to everyone who may read it */
  constructor(topics: RobotTopics, publish: Publish, { withNetwork = false } = {}) {
    this.topics = topics;
    this.#publish = publish;
    this.#withNetwork = withNetwork;
  }

  get reported(): Reported {
    return this.#reported;
  }

  get light(): LightState | null {
    return this.#light;
  }

  /** Publishes as unknown what neither the robot nor an earlier run of the bridge says. */
  begin(): void {
    if (this.#light === null) this.#retain(this.topics.light, JSON.stringify({ state: null }));
    if (this.#isSoundKnown) return;
    this.#retain(this.topics.sound, unknownSound);
    this.#endSoundIn(soundMsMax);
  }

  /** Takes the light that an earlier run published, unless it was set since. @param payload JSON */
  restoreLight(payload: string): void {
    const light = lightIn(payload);
    if (this.#light === null && light !== null) this.lightShown(light);
  }

  /** Takes the sound of an earlier run, which has ended once the longest sound has. */
  restoreSound(payload: string): void {
    if (this.#isSoundKnown) return;
    const isOff = /"OFF"/.test(payload);
    if (isOff) return this.soundEnded();
    if (!/"ON"/.test(payload)) return;
    this.#isSoundKnown = true;
    this.#retain(this.topics.sound, payload);
    this.#endSoundIn(soundMsMax);
  }

  announce(device: object): void {
    this.#retain(this.topics.discovery, JSON.stringify(device));
  }

  setOnline(online: boolean): void {
    this.#retain(this.topics.availability, online ? 'online' : 'offline');
  }

  /** An answer without readings is that of a service that could not ask the robot: those before it stay. */
  read({ readings, readings_at: readAt, showing, volume_max: volumeMax, quiet_hours: quietHours, update, events }: StateAnswer): void {
    const { wifi_ssid: _ssid, ip_address: _ip, ...open } = readings;
    const near = events.findLast(({ name }) => name === 'near' || name === 'away');
    const before = readAt === null ? this.#reported : {};
    this.#reported = {
      ...before,
      ...(this.#withNetwork ? readings : open),
      ...(('proximity_raw' in readings || 'proximity_raw' in before) && {
        near: near === undefined ? (this.#reported.near ?? null) : near.name === 'near',
      }),
      volume_max: volumeMax,
      quiet_hours: quietHours,
      open_question: this.#openQuestion(showing),
      ...(update !== undefined && { update }),
    };
    this.#emotion = showing.emotion;
    this.#publishState();
  }

  /** Pictures may show what is not for everyone who can read the broker later, so that they are not retained. @param png in base64 */
  screenRead(png: string): void {
    this.#publish(this.topics.image, png);
  }

  /** A person came near, or went away. */
  personMoved(isNear: boolean): void {
    if (!('near' in this.#reported)) return;
    this.#reported = { ...this.#reported, near: isNear };
    this.#publishState();
  }

  #openQuestion({ question, wait }: StateAnswer['showing']): string {
    // A gateway of 0.10 does not name the wait.
    const open = wait ?? this.#openWait;
    this.#openWait = question !== null && open !== null && this.#questions.has(open) ? open : null;
    if (question === null) return 'none';
    return this.#openWait === null ? 'question of another program' : this.#questions.get(this.#openWait)!.question;
  }

  #questionOpened(wait: string | null): void {
    this.#openWait = wait;
    if (!('open_question' in this.#reported)) return;
    this.#reported = { ...this.#reported, open_question: wait === null ? 'none' : this.#questions.get(wait)!.question };
    this.#publishState();
  }

  /** The wait of the question of the bridge that is on the screen; null: there is none. */
  get openWait(): string | null {
    return this.#openWait;
  }

  headMoved({ yaw, pitch }: { yaw: number | null; pitch: number | null }): void {
    this.#reported = { ...this.#reported, ...(yaw !== null && { head_yaw_deg: yaw }), ...(pitch !== null && { head_pitch_deg: pitch }) };
    this.#publishState();
  }

  faceShown(emotion: string): void {
    this.#emotion = emotion;
    this.#publishState();
  }

  lightShown(light: LightState): void {
    this.#light = light;
    this.#retain(this.topics.light, JSON.stringify(light));
  }

  soundBegan(tone: string, level: number | undefined, seconds: number): void {
    if (seconds === 0) return this.soundEnded();
    this.#isSoundKnown = true;
    this.#retain(this.topics.sound, JSON.stringify({ state: 'ON', tone, ...(level !== undefined && { volume_level: level }) }));
    this.#endSoundIn(seconds * 1000);
  }

  soundEnded(): void {
    clearTimeout(this.#soundTimer);
    this.#isSoundKnown = true;
    this.#retain(this.topics.sound, JSON.stringify({ state: 'OFF' }));
  }

  #endSoundIn(ms: number): void {
    clearTimeout(this.#soundTimer);
    this.#soundTimer = setTimeout(() => this.soundEnded(), ms);
  }

  /** A stop ends the sound, and switches the LEDs off, also those of one colour. @param parts those that were stopped */
  stopped(parts: readonly string[]): void {
    if (parts.includes('sound')) this.soundEnded();
    if (parts.includes('leds')) this.lightShown(lightOff(this.#light));
  }

  /** @param ask returns the wait; null: the question was not shown @returns whether it was shown */
  async asking(ask: () => Promise<string | null>, question: AskedQuestion): Promise<boolean> {
    const asked = ask().then((wait) => {
      if (wait !== null) this.#keepQuestion(wait, question);
      return wait !== null;
    });
    this.#asking = asked.catch(() => undefined);
    return asked;
  }

  /** Takes the questions of an earlier run, once. @param payload JSON, as this class publishes it */
  restoreQuestions(payload: string): void {
    if (this.#wasRestored) return;
    this.#wasRestored = true;
    for (const [wait, question] of questionsIn(payload)) if (!this.#questions.has(wait)) this.#questions.set(wait, question);
  }

  #keepQuestion(wait: string, { id, question }: AskedQuestion): void {
    this.#questions.set(wait, { id, question: question.slice(0, stateCharacters) });
    const [oldest] = this.#questions.keys();
    if (this.#questions.size > questionsKept) this.#questions.delete(oldest!);
    this.#publishQuestions();
    this.#questionOpened(wait);
  }

  #publishQuestions(): void {
    this.#retain(this.topics.questions, JSON.stringify(Object.fromEntries(this.#questions)));
  }

  /**
   * Publishes the answer to a question of the bridge, and returns the question. Returns null for one of another program, which must not fire what an
   * automation expects of its own question. Waits for a question that is being asked: its end may arrive before its wait.
   */
  async answered(data: EventData['answered'], at: string): Promise<AskedQuestion | null> {
    if (!this.#questions.has(data.wait)) await this.#asking;
    const asked = this.#questions.get(data.wait);
    if (asked === undefined) return null;
    this.#questions.delete(data.wait);
    this.#publishQuestions();
    if (this.#openWait === data.wait) this.#questionOpened(null);
    const answer = data.answer ?? data.label ?? data.region ?? data.outcome;
    const { outcome, index, wait } = data;
    this.#retain(this.topics.answer, JSON.stringify({ answer: answer.slice(0, stateCharacters), outcome, index, ...asked, wait, at }));
    return asked;
  }

  failed(command: string | null, code: string | null, message: string): void {
    const at = command === null ? null : new Date().toISOString();
    this.#retain(this.topics.error, JSON.stringify({ error: message.slice(0, stateCharacters), command, code, at }));
  }

  get hasQuestions(): boolean {
    return this.#questions.size > 0;
  }

  resendAvailability(): void {
    const online = this.#retained.get(this.topics.availability);
    if (online !== undefined) this.#publish(this.topics.availability, online, { retain: true });
  }

  /** Sends all retained messages, for a broker or a Home Assistant that may not have them. */
  resend(): void {
    for (const [topic, payload] of this.#retained) this.#publish(topic, payload, { retain: true });
  }

  close(): void {
    clearTimeout(this.#soundTimer);
  }

  #publishState(): void {
    this.#retain(this.topics.state, JSON.stringify({ ...this.#reported, emotion: this.#emotion }));
  }

  #retain(topic: string, payload: string): void {
    if (this.#retained.get(topic) === payload) return;
    this.#retained.set(topic, payload);
    this.#publish(topic, payload, { retain: true });
  }
}

function questionsIn(payload: string): [wait: string, question: AskedQuestion][] {
  try {
    const questions: unknown = JSON.parse(payload);
    if (typeof questions !== 'object' || questions === null) return [];
    return Object.entries(questions).flatMap(([wait, asked]: [string, Partial<Record<keyof AskedQuestion, unknown>> | null]) => {
      const { id, question } = asked ?? {};
      return typeof id === 'string' && typeof question === 'string' ? [[wait, { id, question }]] : [];
    });
  } catch {
    return [];
  }
}
