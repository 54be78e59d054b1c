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
import { ShownRobots } from './robots/shown-robots.js';
import type { SessionRoute } from './route.js';
import { RobotAccess } from './sharing/robot-access.js';
import { SharedViews } from './sharing/shared-views.js';
import { sharingRoutes } from './sharing/sharing-routes.js';
import { SharingService } from './sharing/sharing-service.js';
import { RobotSnapshots } from './live/robot-snapshots.js';

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
  const changed = (account: string): void => lists.changed(account);
  const shared = new SharedViews(store);
  const robots = new RobotService({
    store,
    robotsMax: bounds.robots,
    changed,
    settingsChanged: (robot) => states.settingsChanged(robot),
    sharedWith: (account) => shared.of(account),
  });
  const lists = new RobotLists((account) => robots.list(account));
  const access = new RobotAccess(store.guests, directory);
  const live = new Live({ feed, events: store.events, openCalls, access, lists, snapshots: new RobotSnapshots(states), ended: streamEnded });
  const sharing = new SharingService(store, shared, changed);
  return [
    ...robotRoutes(robots, { store, access, shared, states, shown: new ShownRobots(access, states) }),
    ...screenRoutes({ store, activity, redraw }),
    ...sharingRoutes(sharing),
    ...keyRoutes(store, bounds.keys),
    ...live.routes,
  ];
}
