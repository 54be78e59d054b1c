import type { Store } from '@perch/store';
import type { ActivityLog } from '../activity/activity-log.js';
import type { Redraw } from '../actions/screens/redraw.js';
import type { OpenCalls } from '../calls/open-calls.js';
import type { EventsFeed } from '../events/events-feed.js';
import type { RobotDirectory } from '../robots/robot-directory.js';
import type { RobotStates } from '../robots/robot-states.js';
import type { StreamEnd } from '../http/sse/sse-connection.js';
import { keyRoutes } from './keys/key-routes.js';
import { Live } from './live/live.js';
import { RobotService } from './robots/robot-service.js';
import { RobotLists } from './robots/robot-lists.js';
import { robotRoutes } from './robots/robot-routes.js';
import { screenRoutes } from './robots/screen-routes.js';
import type { SessionRoute } from './route.js';
import { RobotSnapshots } from './live/robot-snapshots.js';
import { ShownRobots } from './robots/shown-robots.js';

export interface AccountBounds {
  keys: number;
  robots: number;
}

export interface ResourceServices {
  store: Store;
  states: RobotStates;
  directory: RobotDirectory;
  feed: EventsFeed;
  openCalls: OpenCalls;
  activity: Pick<ActivityLog, 'settle'>;
  redraw: Redraw;
}

export function resourceRoutes(
  { store, states, directory, feed, openCalls, activity, redraw }: ResourceServices,
  bounds: AccountBounds,
  streamEnded: (why: StreamEnd) => void,
): SessionRoute[] {
  const robots = new RobotService(
    store,
    bounds.robots,
    (account) => lists.changed(account),
    (robot) => states.settingsChanged(robot),
  );
  const lists = new RobotLists((account) => robots.list(account));
  const live = new Live({ feed, events: store.events, openCalls, directory, lists, snapshots: new RobotSnapshots(states), ended: streamEnded });
  return [
    ...robotRoutes(robots, { store, directory, states }),
    ...screenRoutes({ store, activity, redraw }),
    ...keyRoutes(store, bounds.keys),
    ...new ShownRobots(directory, states).routes,
    ...live.routes,
  ];
}
