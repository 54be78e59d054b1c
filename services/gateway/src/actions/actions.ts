/** Runs actions by name, for REST and MCP. An action of the schema that is not listed does not compile; nothing here depends on HTTP. */
import { validateArgs, type ActionName, type AnswerOf, actionByName, type RobotCommand } from '@perch/schema';
import type { Call } from '../calls/call.js';
import type { Action, ActionServices, PerformAction } from './action.js';
import { createAsk } from './ask.js';
import { createClickmap } from './clickmap.js';
import { createCommand } from './command.js';
import { createLeds } from './leds.js';
import { createMenu } from './menu.js';
import { createPreview, type Preview } from './preview.js';
import { createRedraw, type Redraw } from './redraw.js';
import { createSay } from './say.js';
import { createScene, type Scene, preparation, withPrepared, PreparedPictures } from './scene.js';
import { createShow } from './show.js';
import { createSound } from './sound.js';
import { createSpeak } from './speak.js';
import { createStop, type Stop } from './stop.js';
import type { EventsQuery, EventsRead } from '../events/events-feed.js';
import { unknownRobot } from '../robots/robot-directory.js';

export interface Actions {
  perform: PerformAction;
  /** @throws {ApiError} 400 first, then as `perform` */
  run<N extends ActionName>(name: N, call: Call, body: unknown): Promise<AnswerOf<N>>;
  stop: Stop;
  scene: Scene;
  preview: Preview;
  redraw: Redraw;
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
    redraw: createRedraw(services),
  };
}

const faceNeeds = actionByName.get('face')!.features;

const createFace =
  ({ commands }: Pick<ActionServices, 'commands'>): Action<'face'> =>
  async (call, args) => {
    await commands.send(call, { needs: faceNeeds, command: { name: 'face', args: { ...args } } });
    return {};
  };

const moveNeeds = actionByName.get('move')!.features;

/** The robot clamps the angles and returns the ones it used. */
const createMove =
  ({ commands }: Pick<ActionServices, 'commands'>): Action<'move'> =>
  async (call, { gesture, yaw, pitch }) => {
    const command: RobotCommand =
      gesture === undefined
        ? { name: 'head.move', args: { ...(yaw === undefined ? {} : { yaw }), ...(pitch === undefined ? {} : { pitch }) } }
        : { name: 'head.gesture', args: { name: gesture } };
    const { result } = await commands.send(call, { needs: moveNeeds, command });
    return { yaw: numberOrNull(result['yaw']), pitch: numberOrNull(result['pitch']) };
  };

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

const createState =
  ({ states, detachedWaits, keyValidity }: Pick<ActionServices, 'states' | 'detachedWaits' | 'keyValidity'>): Action<'state'> =>
  async (call) => {
    const state = await states.read(call.account, call.robot);
    if (state.showing.question === null) return state;
    const wait = await detachedWaits.openOf(call.robot, await keyValidity.ownerOf(call, 'before the state was read'));
    return wait === null ? state : { ...state, showing: { ...state.showing, wait } };
  };

const createEvents =
  ({ feed, directory, openCalls }: Pick<ActionServices, 'feed' | 'directory' | 'openCalls'>): Action<'events'> =>
  async (call, { after, names, seconds }) => {
    const query: EventsQuery = { after, names: names === undefined || names.length === 0 ? null : new Set(names), waitMs: seconds * 1000 };
    const { found, waits } = await feed.firstRead(call.robot, query);
    const next = (signal: AbortSignal): Promise<EventsRead> => feed.next(call.robot, query, found, signal);
    if (waits) call.time.pause();
    const read = waits ? await openCalls.run(call, 'poll', call.signal, next).finally(() => call.time.resume()) : found;
    // Without an event log, the robot has never connected, or was removed and is still cached here. Only this read can detect the stale cache entry.
    if (!read.logged && (await directory.read(call.robot)) === null) throw unknownRobot();
    return { events: read.events, last_seq: read.lastSeq, first_seq: read.firstSeq ?? 0 };
  };
