/**
 * Runs actions by name. REST and MCP call `runAction`; nothing in this folder depends on HTTP.
 * The handler map is complete by type: a new action in the schema does not compile until it has a handler.
 */
import { validateArgs, type ActionName, type AnswerOf, type ArgsOf } from '@perch/schema';
import type { Call } from './call.js';
import { ask } from './ask.js';
import { clickmap } from './clickmap.js';
import { command } from './command.js';
import { events } from './events.js';
import { face } from './face.js';
import { leds } from './leds.js';
import { menu } from './menu.js';
import { move } from './move.js';
import { say } from './say.js';
import { show } from './show.js';
import { sound } from './sound.js';
import { state } from './state.js';

/**
 * Performs an action.
 * @param args validated
 * @returns the answer without its `ok`
 * @throws {ApiError} in the order 503 (offline), 501, then pictures (400)
 */
export type ActionHandler<N extends ActionName> = (call: Call, args: ArgsOf<N>) => Promise<Omit<AnswerOf<N>, 'ok'>>;

const handlers: { [N in ActionName]: ActionHandler<N> } = { show, say, face, move, leds, sound, ask, menu, clickmap, command, state, events };

/** Validates the arguments and performs the action. @throws {ApiError} 400 first, then as `performAction` */
export async function runAction<N extends ActionName>(name: N, call: Call, body: unknown): Promise<AnswerOf<N>> {
  return performAction(name, call, validateArgs(name, body));
}

export async function performAction<N extends ActionName>(name: N, call: Call, args: ArgsOf<N>): Promise<AnswerOf<N>> {
  const handler = handlers[name] as ActionHandler<N>;
  return { ok: true, ...(await handler(call, args)) } as AnswerOf<N>;
}
