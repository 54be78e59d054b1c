/**
 * Handles the requests of the web page. Routes require an Origin of this service, except those marked `fromElsewhere`; a session, except those that sign
 * in or up; and the session's CSRF token if they change anything.
 */
import { targetOf, type ClientAddresses } from '@perch/runtime';
import { isRobotId, type Store } from '@perch/store';
import type { Exchange } from '../http/exchange.js';
import type { BodyBound, JsonBodies } from '../http/json-body.js';
import { decoded, notFound, Router, type Answer, type Match } from '../http/router.js';
import { serve, type Serving } from '../http/serve.js';
import { noSuchRobot, RobotAccess } from './sharing/robot-access.js';
import type { AuditLog } from './audit.js';
import type { ConsoleRequest, ConsoleRoute, SessionRequest, SessionRoute } from './route.js';
import { signedOut, type SessionAuth } from './auth/session-auth.js';
import type { ActivityLog } from '../activity/activity-log.js';
import type { Redraw } from '../actions/redraw.js';
import type { OpenCalls } from '../calls/open-calls.js';
import type { EventsFeed } from '../events/events-feed.js';
import type { RobotDirectory } from '../robots/robot-directory.js';
import type { RobotStates } from '../robots/robot-states.js';
import type { StreamEnd } from '../http/sse.js';
import { keyRoutes } from './key-routes.js';
import { Live, RobotSnapshots } from './live.js';
import { RobotService } from './robots/robot-service.js';
import { RobotLists, ShownRobots } from './robots/robot-lists.js';
import { robotRoutes, screenRoutes } from './robots/robot-routes.js';
import { SharedViews, sharingRoutes, SharingService } from './sharing/sharing-service.js';

export interface ConsoleOptions extends Serving {
  sessionAuth: SessionAuth;
  routes: readonly ConsoleRoute[];
  bodies: JsonBodies;
  addresses: ClientAddresses;
  audits: AuditLog;
}

const nothing: Match<ConsoleRoute> = { resource: undefined, params: {} };
const bodyBound: BodyBound = { bytesMax: 16_384, help: 'Send less at once.' };

/** Returns the handler of all paths under /console except /console/v1, which is the interface for the page (rest/routes.ts). */
export function createConsole({ sessionAuth, routes, bodies, addresses, audits, ...serving }: ConsoleOptions): (exchange: Exchange) => Promise<void> {
  const router = new Router(routes);

  async function audited({ audit }: ConsoleRoute, request: ConsoleRequest, account: string | null, handle: () => Promise<Answer>): Promise<Answer> {
    if (audit === undefined) return handle();
    try {
      const answer = await handle();
      audits.recordRequest(audit, request, account, answer);
      return answer;
    } catch (error) {
      audits.recordRequest(audit, request, account, error);
      throw error;
    }
  }

  async function lasting({ handle, undo }: SessionRoute, request: SessionRequest): Promise<Answer> {
    const made = await handle(request);
    if (undo === undefined || (await sessionAuth.find(request.exchange)) !== null) return made;
    await undo(request, made);
    throw signedOut();
  }

  async function answer(exchange: Exchange): Promise<Answer> {
    const { request } = exchange;
    const { path, query } = targetOf(request);
    // Unlike below /v1, a parameter that cannot be decoded names nothing.
    const { resource, params } = decoded(path) === null ? nothing : router.match(path);
    const route = resource?.route(request.method);
    exchange.action = route?.label ?? 'unknown';
    if (route === undefined) {
      sessionAuth.requirePageOrigin(exchange);
      throw resource?.wrongMethod(exchange) ?? notFound();
    }
    const requestOf = (bodyOwner: string): ConsoleRequest => ({
      exchange,
      params,
      query: new URLSearchParams(query),
      auditNote: {},
      body: () => bodies.read(exchange, bodyOwner, bodyBound),
    });
    if (route.for === 'session') {
      // Null: the handler checks the robot in the path (see `SessionRoute`).
      const session = await sessionAuth.admitToPage(exchange, route.cost);
      if (params['robot'] !== undefined && !isRobotId(params['robot'])) throw noSuchRobot();
      const sessionRequest = { ...requestOf(session.account), session };
      return audited(route, sessionRequest, session.account, () => lasting(route, sessionRequest));
    }
    if (route.fromElsewhere !== true) sessionAuth.requirePageOrigin(exchange);
    const openRequest = requestOf(addresses.networkOf(request));
    return audited(route, openRequest, null, () => route.handle(openRequest));
  }

  return (exchange) => serve(exchange, serving, answer);
}

export interface AccountBounds {
  keys: number;
  robots: number;
}

interface ResourceServices {
  store: Store;
  states: RobotStates;
  directory: RobotDirectory;
  feed: EventsFeed;
  openCalls: OpenCalls;
  activity: Pick<ActivityLog, 'settle'>;
  redraw: Redraw;
  /** The signed one that the page installs; null: it installs its own. */
  robotProgram: object | null;
}

export function resourceRoutes(
  { store, states, directory, feed, openCalls, activity, redraw, robotProgram }: ResourceServices,
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
    ...robotRoutes(robots, { store, access, shared, states, shown: new ShownRobots(access, states), program: robotProgram }),
    ...screenRoutes({ store, activity, redraw }),
    ...sharingRoutes(sharing),
    ...keyRoutes(store, bounds.keys),
    ...live.routes,
  ];
}
