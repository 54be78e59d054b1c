/** The published state of one robot: retained messages by topic, sent when they change, and again after each connection to the broker. */
import type { EventData, Readings, StateAnswer } from '@perch/client';
import { lightAtStart, noEffect, type LightState } from '../commands/light.js';
import type { RobotTopics } from '../topics.js';

export type Publish = (topic: string, payload: string, options?: { retain?: boolean }) => boolean;

/** Home Assistant refuses states of more characters. */
const stateCharacters = 255;
const questionsKept = 50;

export class RobotState {
  readonly topics: RobotTopics;
  readonly #publish: Publish;
  /** The discovery message first: Home Assistant subscribes to the other topics by it. */
  readonly #retained = new Map<string, string>();
  #readings: Readings = {};
  #emotion: string | null = null;
  #light = lightAtStart;
  #soundTimer: ReturnType<typeof setTimeout> | undefined;
  /** Texts of open questions by wait. */
  readonly #questions = new Map<string, string>();

  constructor(topics: RobotTopics, publish: Publish) {
    this.topics = topics;
    this.#publish = publish;
  }

  get readings(): Readings {
    return this.#readings;
  }

  get light(): LightState {
    return this.#light;
  }

  announce(device: object): void {
    this.#retain(this.topics.discovery, JSON.stringify(device));
  }

  setOnline(online: boolean): void {
    this.#retain(this.topics.availability, online ? 'online' : 'offline');
  }

  read({ readings, showing }: StateAnswer): void {
    this.#readings = readings;
    this.#emotion = showing.emotion;
    this.#publishState();
  }

  headMoved({ yaw, pitch }: { yaw: number | null; pitch: number | null }): void {
    this.#readings = { ...this.#readings, ...(yaw !== null && { head_yaw_deg: yaw }), ...(pitch !== null && { head_pitch_deg: pitch }) };
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
    clearTimeout(this.#soundTimer);
    if (seconds === 0) return this.soundEnded();
    this.#retain(this.topics.sound, JSON.stringify({ state: 'ON', tone, ...(level !== undefined && { volume_level: level }) }));
    this.#soundTimer = setTimeout(() => this.soundEnded(), seconds * 1000);
  }

  soundEnded(): void {
    clearTimeout(this.#soundTimer);
    this.#retain(this.topics.sound, JSON.stringify({ state: 'OFF' }));
  }

  /** A stop ends sound and LED effect. */
  stopped(): void {
    this.soundEnded();
    if (this.#light.effect !== noEffect) this.lightShown({ ...this.#light, state: 'OFF', effect: noEffect });
  }

  asked(wait: string, question: string): void {
    this.#questions.set(wait, question);
    const [oldest] = this.#questions.keys();
    if (this.#questions.size > questionsKept) this.#questions.delete(oldest!);
  }

  answered(data: EventData['answered'], at: string): void {
    const question = this.#questions.get(data.wait) ?? null;
    this.#questions.delete(data.wait);
    const answer = data.answer ?? data.label ?? data.region ?? data.outcome;
    const { outcome, index, wait } = data;
    this.#retain(this.topics.answer, JSON.stringify({ answer: answer.slice(0, stateCharacters), outcome, index, question, wait, at }));
  }

  failed(command: string | null, code: string | null, message: string): void {
    const at = command === null ? null : new Date().toISOString();
    this.#retain(this.topics.error, JSON.stringify({ error: message.slice(0, stateCharacters), command, code, at }));
  }

  /** Sends all retained messages, for a broker or a Home Assistant that may not have them. */
  resend(): void {
    for (const [topic, payload] of this.#retained) this.#publish(topic, payload, { retain: true });
  }

  close(): void {
    clearTimeout(this.#soundTimer);
  }

  #publishState(): void {
    this.#retain(this.topics.state, JSON.stringify({ ...this.#readings, emotion: this.#emotion }));
  }

  #retain(topic: string, payload: string): void {
    if (this.#retained.get(topic) === payload) return;
    this.#retained.set(topic, payload);
    this.#publish(topic, payload, { retain: true });
  }
}
