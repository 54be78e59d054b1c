/** Commands by the last part of their topic: which call to Perch each payload is, and what the robot's published state becomes by it. */
import type { Perch, RobotClient, SayArguments, ShowArguments, SpeakArguments } from '@perch/client';
import { chimeNames, emotions } from '@perch/schema';
import { ledsOf, lightAfter } from './light.js';
import { BadPayload, choiceOf, numberOf, objectOf, textArguments } from './payload.js';
import { questionOf } from './question.js';
import type { RobotState } from '../robots/robot-state.js';

export const gestures = ['nod', 'shake', 'home'] as const;

/** A rest, which replaces the sound that plays; `stop` would end an open question as well. */
const silence = { notes: '-:50' } as const;

/** A question that was taken and ended before it showed. */
export class NotShown extends Error {
  override readonly name = 'NotShown';
}

/** @throws {BadPayload} before anything was sent @throws {NotShown} @throws {PerchError} */
type Command = (robot: RobotClient, payload: string, state: RobotState, signal: AbortSignal, perch: Pick<Perch, 'removeWait'>) => Promise<void>;

export const commands: Readonly<Record<string, Command>> = {
  async stop(robot, _payload, state, signal) {
    const { stopped } = await robot.stop({ signal });
    state.stopped(stopped);
  },
  async gesture(robot, payload, state, signal) {
    state.headMoved(await robot.move({ gesture: choiceOf(payload, gestures) }, { signal }));
  },
  async yaw(robot, payload, state, signal) {
    state.headMoved(await robot.move({ yaw: numberOf(payload) }, { signal }));
  },
  async pitch(robot, payload, state, signal) {
    state.headMoved(await robot.move({ pitch: numberOf(payload) }, { signal }));
  },
  async face(robot, payload, state, signal) {
    const emotion = choiceOf(payload, emotions);
    await robot.face({ emotion }, { signal });
    state.faceShown(emotion);
  },
  async brightness(robot, payload, _state, signal) {
    await robot.command({ command: 'brightness', args: { pct: Math.round(numberOf(payload)) } }, { signal });
  },
  async screen_power(robot, payload, _state, signal) {
    await robot.command({ command: 'screen', args: { on: choiceOf(payload, ['ON', 'OFF']) === 'ON' } }, { signal });
  },
  async power_led(robot, payload, _state, signal) {
    await robot.command({ command: 'power_led', args: { on: choiceOf(payload, ['ON', 'OFF']) === 'ON' } }, { signal });
  },
  async light(robot, payload, state, signal) {
    const light = lightAfter(state.light, payload);
    await robot.leds(ledsOf(light), { signal });
    state.lightShown(light);
  },
  async sound(robot, payload, state, signal) {
    const { state: wanted, tone, volume_level: level } = objectOf(payload);
    if (wanted === 'OFF') {
      await robot.sound(silence, { signal });
      return state.soundEnded();
    }
    const chime = choiceOf(tone ?? 'ask', chimeNames);
    if (level !== undefined && !(typeof level === 'number' && level >= 0 && level <= 1))
      throw new BadPayload('volume_level must be a number from 0 to 1');
    const { seconds } = await robot.sound({ chime, ...(level !== undefined && { volume: Math.round(level * 100) }) }, { signal });
    return state.soundBegan(chime, level, seconds);
  },
  async show(robot, payload, _state, signal) {
    await robot.show(textArguments<ShowArguments>(payload, 'text'), { signal });
  },
  async clear(robot, _payload, _state, signal) {
    await robot.show({ clear: true }, { signal });
  },
  async image(robot, _payload, state, signal) {
    state.screenRead((await robot.screen({ signal })).image);
  },
  async cancel(_robot, _payload, { openWait }, signal, perch) {
    if (openWait !== null) await perch.removeWait(openWait, { signal });
  },
  async say(robot, payload, _state, signal) {
    await robot.say(textArguments<SayArguments>(payload, 'text'), { signal });
  },
  async speak(robot, payload, _state, signal) {
    await robot.speak(textArguments<SpeakArguments>(payload, 'text'), { signal });
  },
  async ask(robot, payload, state, signal) {
    const { id, arguments: question } = questionOf(payload);
    const isShown = await state.asking(async () => (await robot.ask(question, { signal })).wait ?? null, { id, question: question.question });
    if (!isShown) throw new NotShown('another question replaced it before it was shown');
  },
};
