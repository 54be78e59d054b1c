/**
 * Handles the requests of the web page. Routes require an Origin of this service, except those marked `fromElsewhere`; a session, except those that sign
 * in or up; and the session's CSRF token if they change anything.
 */
import { targetOf, type ClientAddresses } from '@perch/runtime';
import { isRobotId, type Store } from '@perch/store';
import type { Redraw } from '../actions/redraw.js';
import type { ActivityLog } from '../activity/activity-log.js';
import type { Admission } from '../auth/admission.js';
import type { OpenCalls } from '../calls/open-calls.js';
import type { BaseUrl } from '../discovery/discovery.js';
import type { EventsFeed } from '../events/events-feed.js';
import type { AllowedHosts } from '../http/allowed-hosts.js';
import type { Exchange } from '../http/exchange.js';
import type { BodyBound, JsonBodies } from '../http/json-body.js';
import { decoded, notFound, Router, type Answer, type Match } from '../http/router.js';
import { serve, type Serving } from '../http/serve.js';
import type { StreamEnd } from '../http/sse.js';
import { openMails, type MailsOptions } from '../mail/account-mails.js';
import type { MailSettings } from '../mail/mail-delivery.js';
import type { ClientDirectory } from '../oauth/client-directory.js';
import type { Robots } from '../robots/robots.js';
import { AccountRemovals } from './accounts/account-removals.js';
import { wireAccounts, type AccountSettings } from './accounts/account-routes.js';
import type { AuditLog } from './audit.js';
import { Cookies } from './auth/cookies.js';
import { SessionAuth, signedOut, type Session } from './auth/session-auth.js';
import type { InstallSettings } from './auth/session-issuer.js';
import { authorizationRoutes } from './authorization-routes.js';
import { keyRoutes } from './key-routes.js';
import { Live, RobotSnapshots } from './live.js';
import { Page, PageFiles, PageOriginCheck } from './page.js';
import { LinkAddress } from './robots/link-address.js';
import { RobotLists, ShowingReader } from './robots/robot-lists.js';
import { robotRoutes, screenRoutes } from './robots/robot-routes.js';
import { RobotService } from './robots/robot-service.js';
import type { ConsoleRequest, ConsoleRoute, SessionRequest, SessionRoute } from './route.js';
import { GuestAdmission } from './sharing/guest-admission.js';
import { noSuchRobot, RobotAccess } from './sharing/robot-access.js';
import { SharedViews, sharingRoutes, SharingService } from './sharing/sharing-service.js';

const nothing: Match<ConsoleRoute> = { resource: undefined, params: {} };
const bodyBound: BodyBound = { bytesMax: 16_384, help: 'Send less at once.' };

export interface ConsoleServices extends Serving {
  store: Store;
  admission: Admission;
  robots: Robots;
  feed: EventsFeed;
  openCalls: OpenCalls;
  activity: ActivityLog;
  redraw: Redraw;
  clients: ClientDirectory;
  bodies: JsonBodies;
  addresses: ClientAddresses;
  audits: AuditLog;
  hosts: AllowedHosts;
  baseUrl: BaseUrl;
  streamEnded: (why: StreamEnd) => void;
  mailCounted: MailsOptions['counted'];
}

export interface ConsoleSettings {
  publicUrl: string | null;
  /** Default: no page is served. */
  pageFolder?: string;
  /** Public URL that robots connect to. If unset, the address that a running robot-link listens on. */
  linkPublicUrl?: string | null;
  /** What the page installs in robots: another URL than `linkPublicUrl`, and the authority of the link in PEM. */
  install?: InstallSettings;
  /** The signed robot program that the page installs. Default: the page installs its own, unsigned. */
  robotProgram?: object | null;
  /** Default: anyone, by password. */
  accountSettings?: AccountSettings;
  /** Requires `publicUrl`. Default: no e-mail is sent. */
  mail?: MailSettings | null;
  /** Default: 100 keys, 200 robots. */
  accountBounds?: { keys: number; robots: number };
}

/** Returns the web page, its own routes, and what admits its sessions to the interface. */
export function createConsole(
  services: ConsoleServices,
  {
    publicUrl,
    pageFolder,
    linkPublicUrl = null,
    install = { url: null, ca: null },
    robotProgram = null,
    accountSettings = { signUp: 'open', oidc: null },
    mail = null,
    accountBounds = { keys: 100, robots: 200 },
  }: ConsoleSettings,
) {
  const { store, admission, robots, hosts, drain, log } = services;
  const cookies = new Cookies(publicUrl);
  const guests = new GuestAdmission(store.guests, robots.directory, admission);
  const sessionAuth = new SessionAuth({ admission, guests, cookies, originCheck: new PageOriginCheck(hosts, publicUrl) });
  const links = new LinkAddress(store.instances, linkPublicUrl);
  const removals = new AccountRemovals({ store, log });
  const mails = mail === null || publicUrl === null ? null : openMails({ store, mail, publicUrl, counted: services.mailCounted, log });
  const https = publicUrl?.startsWith('https:') === true;
  const page = pageFolder === undefined ? null : new Page({ files: new PageFiles(pageFolder), links, drain, https, ca: install.ca });
  const routes = [
    ...wireAccounts({ ...services, ...accountSettings, sessionAuth, cookies, links, install, mails, removals }),
    ...resourceRoutes(services, accountBounds, robotProgram),
    ...authorizationRoutes({ ...services, keysMax: accountBounds.keys }),
  ];
  return {
    admit: (exchange: Exchange, robot: string | null, cost: number): Promise<Session> => sessionAuth.admit(exchange, robot, cost),
    /** Answers all paths under /console except /console/v1, which is the interface for the page (rest/routes.ts). */
    answer: consoleHandler(services, sessionAuth, routes),
    /** Resolves to whether the path was a file of the page. */
    file: async (exchange: Exchange): Promise<boolean> => (await page?.answer(exchange)) ?? false,
    start: (): void => removals.start(),
    /** Tells other services where browsers find the page. @param address that this gateway listens on; null: browsers use another one */
    async offer(address: string | null): Promise<void> {
      if (page === null) return;
      if (!(await page.isBuilt())) log.warn({ folder: pageFolder }, 'console assets not found; run npm run build');
      else if (address !== null) await store.instances.offer('page', address.replace(/\/+$/, ''));
    },
    async stop(signal: AbortSignal): Promise<void> {
      await Promise.all([removals.stop(), mails?.settle(signal)]);
    },
  };
}

function consoleHandler(
  { bodies, addresses, audits, ...serving }: ConsoleServices,
  sessionAuth: SessionAuth,
  routes: readonly ConsoleRoute[],
): (exchange: Exchange) => Promise<void> {
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

function resourceRoutes(
  { store, robots: { states, directory }, feed, openCalls, activity, redraw, streamEnded }: ConsoleServices,
  bounds: { keys: number; robots: number },
  robotProgram: object | null,
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
    ...robotRoutes(robots, { store, access, shared, states, shown: new ShowingReader(access, states), program: robotProgram }),
    ...screenRoutes({ store, activity, redraw }),
    ...sharingRoutes(sharing),
    ...keyRoutes(store, bounds.keys),
    ...live.routes,
  ];
}
