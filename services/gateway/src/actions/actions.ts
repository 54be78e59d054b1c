/** Runs actions by name, for REST and MCP. An action of the schema that is not listed does not compile; nothing here depends on HTTP. */
import { validateArgs, type ActionName, type AnswerOf } from '@perch/schema';
import type { Call } from '../calls/call.js';
import type { Action, ActionServices, PerformAction } from './definition/action.js';
import { createAsk } from './ask.js';
import { createClickmap } from './clickmap.js';
import { createCommand } from './command.js';
import { createEvents } from './events.js';
import { createFace } from './face.js';
import { createLeds } from './leds.js';
import { createMenu } from './menu.js';
import { createMove } from './move.js';
import { createPreview, type Preview } from './screens/preview.js';
import { createSay } from './say.js';
import { createScene, type Scene } from './scene/scene.js';
import { preparation, withPrepared } from './scene/preparation.js';
import { PreparedPictures } from './scene/prepared-pictures.js';
import { createShow } from './show.js';
import { createSound } from './sound.js';
import { createSpeak } from './speak.js';
import { createState } from './state.js';
import { createStop, type Stop } from './stop.js';

export interface Actions {
  perform: PerformAction;
  /** @throws {ApiError} 400 first, then as `perform` */
  run<N extends ActionName>(name: N, call: Call, body: unknown): Promise<AnswerOf<N>>;
  stop: Stop;
  scene: Scene;
  preview: Preview;
}

/** Whether another gateway can finish a call of a gateway that died: not `stop`, since repeating it might end a newer wait. */
export function isResumable(action: string): boolean {
  return action !== 'stop';
}

/** Actions of one command whose ack is the answer: the numbers of its result that the answer has. */
const ackedAnswers: ReadonlyMap<string, readonly string[]> = new Map([
  ['face', []],
  ['leds', []],
  ['move', ['yaw', 'pitch']],
] satisfies [ActionName, string[]][]);

/** Returns null for an action whose answer its gateway has to make. */
export function ackedAnswer(action: string): readonly string[] | null {
  return ackedAnswers.get(action) ?? null;
}

function actionTable(services: ActionServices): { [N in ActionName]: Action<N> } {
  return {
    show: createShow(services),
    say: createSay(services),
    face: createFace(services),
    move: createMove(services),
    leds: createLeds(services),
    sound: createSound(services),
    ask: createAsk(services),
    menu: createMenu(services),
    clickmap: createClickmap(services),
    command: createCommand(services),
    state: createState(services),
    events: createEvents(services),
    speak: createSpeak(services),
  };
}

function performing(services: ActionServices): PerformAction {
  const actions = actionTable(services);
  return async (name, call, args) => {
    const action = actions[name] as Action<typeof name>;
    return { ok: true, ...(await action(call, args)) } as AnswerOf<typeof name>;
  };
}

export function createActions(services: ActionServices): Actions {
  const perform = performing(services);
  return {
    perform,
    run: async (name, call, body) => perform(name, call, validateArgs(name, body)),
    stop: createStop(services),
    scene: createScene(services, perform, (robot) => {
      const pictures = new PreparedPictures();
      return { prepare: performing(preparation(services, robot, pictures)), perform: performing(withPrepared(services, pictures)) };
    }),
    preview: createPreview(services),
  };
}
