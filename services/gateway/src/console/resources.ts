import type { ActionServices } from '../actions/call.js';
import type { StreamEnd } from '../http/sse/sse-connection.js';
import { keyRoutes } from './keys/key-routes.js';
import { Live } from './live/live.js';
import { RobotService } from './robots/robot-service.js';
import { RobotLists } from './robots/robot-lists.js';
import { robotRoutes } from './robots/robot-routes.js';
import type { SessionRoute } from './route.js';
import { RobotSnapshots } from './live/robot-snapshots.js';

/** Maximum number of resources of an account that are added on the page or by pairing. */
export interface AccountBounds {
  keys: number;
  robots: number;
}

/** @param streamEnded for metrics */
export function resourceRoutes(
  { store, states, directory, feed, openCalls }: ActionServices,
  bounds: AccountBounds,
  streamEnded: (why: StreamEnd) => void,
): SessionRoute[] {
  const robots = new RobotService(store, bounds.robots, (account) => lists.changed(account));
  const lists = new RobotLists((account) => robots.list(account));
  const live = new Live({ feed, events: store.events, openCalls, directory, lists, snapshots: new RobotSnapshots(states), ended: streamEnded });
  return [...robotRoutes(robots, { store, directory, states }), ...keyRoutes(store, bounds.keys), ...live.routes];
}
