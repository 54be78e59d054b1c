/** The interface's 12 actions in its order, the action beside them, the compounds built from them, and the types derived from these lists. */
import type { Static } from 'typebox';
import { ask } from './ask.js';
import { clickmap } from './clickmap.js';
import { command } from './command.js';
import { events } from './events.js';
import { face } from './face.js';
import { leds } from './leds.js';
import { menu } from './menu.js';
import { move } from './move.js';
import { say } from './say.js';
import { scene } from './scene.js';
import { show } from './show.js';
import { sound } from './sound.js';
import { speak } from './speak.js';
import { state } from './state.js';
import { stop } from './stop.js';
import type { Action } from '../definition/action.js';

export const interfaceActions = [show, say, face, move, leds, sound, ask, menu, clickmap, command, state, events] as const;

export const actions = [...interfaceActions, speak] as const;

/** Calls that run several actions: routed, listed and offered as tools like the actions, but not among them. */
export const compounds = [stop, scene] as const;

export type ActionName = (typeof actions)[number]['name'];
export type CompoundName = (typeof compounds)[number]['name'];

type ActionMap = { [A in (typeof actions)[number] as A['name']]: A };

/** A `Map`, because callers supply the names. */
export const actionByName: ReadonlyMap<string, (typeof actions)[number]> = new Map(actions.map((action) => [action.name, action]));

type Filled<T, D extends PropertyKey> = Omit<T, D> & Required<Pick<T, Extract<keyof T, D>>>;

/** Defaults are filled in; `clear` and `off` are present only when true. */
export type ArgsOf<N extends ActionName> = ActionMap[N] extends Action<string, infer A, infer _R, infer D> ? Filled<Static<A>, D> : never;

export type AnswerOf<N extends ActionName> = Static<ActionMap[N]['answer']>;

export type StopAnswer = Static<typeof stop.answer>;
export type SceneAnswer = Static<typeof scene.answer>;
