import {
  ApiError,
  validateConsoleRobotsQuery,
  validateShownQuery,
  type EarlierScreensAnswer,
  type RobotProgramAnswer,
  type ScreenTextAnswer,
} from '@perch/schema';
import { waitOfPicture, type Store, screenViewOf } from '@perch/store';
import type { RobotStates } from '../../robots/robot-states.js';
import { type RobotAccess, noSuchRobot } from '../sharing/robot-access.js';
import type { SharedViews } from '../sharing/sharing-service.js';
import type { RobotService } from './robot-service.js';
import type { ShowingReader } from './robot-lists.js';
import type { SessionRequest, SessionRoute } from '../route.js';
import type { ActivityLog } from '../../activity/activity-log.js';
import type { Redraw } from '../../actions/redraw.js';
import { BytesAnswer } from '../../http/router.js';

/** Cache lifetime of a picture, whose id identifies its content. */
const cachedS = 3600;

export function robotRoutes(
  robots: RobotService,
  services: {
    store: Pick<Store, 'screenPictures' | 'waits'>;
    access: RobotAccess;
    shared: SharedViews;
    states: RobotStates;
    shown: ShowingReader;
    program: object | null;
  },
): SessionRoute[] {
  async function screen({ session: { account }, params, query, exchange }: SessionRequest): Promise<null | ScreenTextAnswer> {
    const robot = params['robot']!;
    const { owner } = await services.access.watch(account, robot);
    const requestedId = query.get('id');
    const id = requestedId ?? (await showingOn(robot));
    if (query.get('form') === 'text') return { ok: true, ...(id === null ? { text: null } : await wordsOf(owner, robot, id)) };
    const shown = id === null ? null : await services.store.screenPictures.read(owner, robot, id);
    if (shown === null) throw new ApiError('not_found', 'The robot shows no picture, or the picture has expired.');
    exchange.answerBytes(200, shown.bytes, [
      'content-type',
      `image/${shown.format}`,
      'cache-control',
      requestedId === null ? 'no-store' : `private, max-age=${cachedS}, immutable`,
      'content-security-policy',
      "default-src 'none'; sandbox",
      'cross-origin-resource-policy',
      'same-origin',
    ]);
    return null;
  }

  async function wordsOf(owner: string, robot: string, id: string): Promise<Omit<ScreenTextAnswer, 'ok'>> {
    const wait = waitOfPicture(id);
    if (wait === null) return { text: (await services.store.screenPictures.read(owner, robot, id))?.says ?? null };
    const { says = null, names = [], targets = [] } = (await services.store.waits.read(robot, wait))?.record ?? {};
    const answers = names.flatMap((name, at) => {
      const target = targets[at];
      return target?.shape === 'rect' ? [{ name, x: target.x, y: target.y, w: target.w, h: target.h }] : [];
    });
    return { text: says, ...(answers.length > 0 && { answers }) };
  }

  async function showingOn(robot: string): Promise<string | null> {
    const { question, card } = (await services.states.watch(robot)).state.showing;
    return question ?? card;
  }

  async function list({ session, query }: SessionRequest): Promise<object> {
    return robots.list(session.account, validateConsoleRobotsQuery(query));
  }
  async function shown({ session, query }: SessionRequest): Promise<object> {
    return { ok: true, robots: await services.shown.read(session.account, validateShownQuery(query)) };
  }
  async function read({ session, params }: SessionRequest): Promise<object> {
    const robot = params['robot']!;
    return { ok: true, robot: (await robots.find(session.account, robot)) ?? (await services.shared.one(session.account, robot)) };
  }
  async function add({ session, body, auditNote }: SessionRequest): Promise<object> {
    return robots.add(session.account, await body(), auditNote);
  }
  async function findPairing({ session, body }: SessionRequest): Promise<object> {
    return robots.pairing(session.account, await body());
  }
  async function change({ session, params, body }: SessionRequest): Promise<object> {
    return { ok: true, robot: await robots.change(session.account, params['robot']!, await body()) };
  }
  async function remove({ session, params }: SessionRequest): Promise<object> {
    await robots.remove(session.account, params['robot']!);
    return { ok: true };
  }
  async function renew({ session, params }: SessionRequest): Promise<object> {
    return { ok: true, token: await robots.newToken(session.account, params['robot']!) };
  }
  async function update({ session, params }: SessionRequest): Promise<object> {
    return { ok: true, robot: await robots.update(session.account, params['robot']!) };
  }
  async function program(): Promise<RobotProgramAnswer> {
    return { ok: true, program: services.program };
  }
  async function log({ session, params }: SessionRequest): Promise<object> {
    return robots.log(session.account, params['robot']!);
  }

  return [
    { for: 'session', method: 'GET', path: 'robots', cost: 1, label: 'console_robots', handle: list },
    { for: 'session', method: 'GET', path: 'shown', cost: 1, label: 'console_shown', handle: shown },
    { for: 'session', method: 'POST', path: 'robots', cost: 1, label: 'console_robots', audit: 'robot_add', handle: add },
    { for: 'session', method: 'POST', path: 'pairings', cost: 1, label: 'console_pairings', handle: findPairing },
    { for: 'session', method: 'GET', path: 'robots/{robot}', cost: 1, label: 'console_robot', handle: read },
    { for: 'session', method: 'PATCH', path: 'robots/{robot}', cost: 1, label: 'console_robot', audit: 'robot_change', handle: change },
    { for: 'session', method: 'DELETE', path: 'robots/{robot}', cost: 1, label: 'console_robot', audit: 'robot_remove', handle: remove },
    {
      for: 'session',
      method: 'POST',
      path: 'robots/{robot}/token',
      cost: 1,
      label: 'console_robot_token',
      audit: 'robot_token_renew',
      handle: renew,
    },
    {
      for: 'session',
      method: 'POST',
      path: 'robots/{robot}/update',
      cost: 1,
      label: 'console_robot_update',
      audit: 'robot_update',
      handle: update,
    },
    { for: 'session', method: 'GET', path: 'robot-program', cost: 1, label: 'console_robot_program', handle: program },
    { for: 'session', method: 'GET', path: 'robots/{robot}/log', cost: 1, label: 'console_robot_log', handle: log },
    { for: 'session', method: 'GET', path: 'robots/{robot}/screen', cost: 1, label: 'console_screen', handle: screen },
  ];
}

/** Cache lifetime of a picture in the browser: its id identifies its content. */

interface ScreenServices {
  store: Pick<Store, 'robots' | 'screenHistory'>;
  activity: Pick<ActivityLog, 'settle'>;
  redraw: Redraw;
}

/** Cards and questions that a robot showed. Their pictures are drawn from the kept arguments when a page asks for them. */
export function screenRoutes({ store, activity, redraw }: ScreenServices): SessionRoute[] {
  async function requireOwn(account: string, robot: string): Promise<void> {
    if ((await store.robots.get(robot))?.account !== account) throw noSuchRobot();
  }

  async function list({ session: { account }, params }: SessionRequest): Promise<EarlierScreensAnswer> {
    const robot = params['robot']!;
    await requireOwn(account, robot);
    await activity.settle(account);
    return { ok: true, screens: (await store.screenHistory.list(account, robot)).map(screenViewOf) };
  }

  async function draw({ session: { account }, params, exchange }: SessionRequest): Promise<BytesAnswer> {
    const robot = params['robot']!;
    await requireOwn(account, robot);
    const screen = (await store.screenHistory.list(account, robot)).find(({ id }) => id === params['screen']);
    if (screen === undefined) throw new ApiError('not_found', 'This robot has no such earlier screen, or it was displaced by later ones.');
    const { action, at, args } = screen;
    if (args === null || !screenViewOf(screen).drawable) throw new ApiError('not_found', 'This cannot be drawn: what it showed is not kept.');
    const { png } = await redraw({ robot, signal: exchange.signal, span: exchange.span, time: exchange.time }, { action, at, args });
    return new BytesAnswer(png, [
      'content-type',
      'image/png',
      'cache-control',
      `private, max-age=${cachedS}, immutable`,
      'content-security-policy',
      "default-src 'none'; sandbox",
      'cross-origin-resource-policy',
      'same-origin',
    ]);
  }

  return [
    { for: 'session', method: 'GET', path: 'robots/{robot}/screens', cost: 1, label: 'console_screens', handle: list },
    { for: 'session', method: 'GET', path: 'robots/{robot}/screens/{screen}', cost: 1, label: 'console_screens', handle: draw },
  ];
}
