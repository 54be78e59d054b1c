/** What an account owns, as its pages see and change it: wired. */
import type { Tools } from '../actions/call.js';
import type { StreamEnd } from '../http/sse/sse-connection.js';
import { keyRoutes } from './keys/key-routes.js';
import { Live } from './live/live.js';
import { OwnersRobots } from './robots/robot-service.js';
import { RobotLists } from './robots/robot-lists.js';
import { robotRoutes } from './robots/robot-routes.js';
import type { SessionRoute } from './route.js';
import { Twins } from './live/robot-snapshots.js';

/** What an account may have at most, as far as the page and pairing add to it. */
export interface AccountBounds {
  keys: number;
  robots: number;
}

/** @param streamEnded for metrics */
export function resourceRoutes(
  { store, states, directory, feed, held }: Tools,
  bounds: AccountBounds,
  streamEnded: (why: StreamEnd) => void,
): SessionRoute[] {
  const robots = new OwnersRobots(store, bounds.robots, (account) => lists.changed(account));
  const lists = new RobotLists((account) => robots.list(account));
  const live = new Live({ feed, events: store.events, held, directory, lists, twins: new Twins(states), ended: streamEnded });
  return [...robotRoutes(robots, { store, directory, states }), ...keyRoutes(store, bounds.keys), ...live.routes];
}
