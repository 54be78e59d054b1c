import { ApiError, validateConsoleRobotsQuery } from '@perch/schema';
import type { ActionServices } from '../../actions/call.js';
import { screenPicture } from '../../media/screen-picture.js';
import { noSuchRobot, type RobotService } from './robot-service.js';
import type { SessionRequest, SessionRoute } from '../route.js';

/** Cache lifetime of a picture, whose id identifies its content. */
const cachedS = 3600;

export function robotRoutes(robots: RobotService, tools: Pick<ActionServices, 'store' | 'directory' | 'states'>): SessionRoute[] {
  /** Sends the picture on the robot's screen, or the one given by `?id=`. */
  async function screen({ session: { account }, params, query, exchange }: SessionRequest): Promise<null> {
    const robot = params['robot']!;
    if ((await tools.directory.find(robot))?.record.account !== account) throw noSuchRobot();
    const requestedId = query.get('id');
    const id = requestedId ?? (await showingOn(robot));
    const picture = id === null ? null : await screenPicture(tools.store, account, robot, id);
    if (picture === null) throw new ApiError('not_found', 'The robot shows no picture, or the picture has expired.');
    exchange.answerBytes(200, picture.bytes, [
      'content-type',
      `image/${picture.format}`,
      'cache-control',
      requestedId === null ? 'no-store' : `private, max-age=${cachedS}, immutable`,
      'content-security-policy',
      "default-src 'none'; sandbox",
      'cross-origin-resource-policy',
      'same-origin',
    ]);
    return null;
  }

  async function showingOn(robot: string): Promise<string | null> {
    const { question, card } = (await tools.states.watch(robot)).state.showing;
    return question ?? card;
  }

  return [
    {
      for: 'session',
      method: 'GET',
      path: 'robots',
      label: 'console_robots',
      handle: async ({ session, query }) => robots.list(session.account, validateConsoleRobotsQuery(query)),
    },
    {
      for: 'session',
      method: 'GET',
      path: 'robots/{robot}',
      label: 'console_robot',
      handle: async ({ session, params }) => ({ ok: true, robot: await robots.one(session.account, params['robot']!) }),
    },
    {
      for: 'session',
      method: 'POST',
      path: 'robots',
      audit: 'robot_add',
      label: 'console_robots',
      handle: async ({ session, body, auditNote }) => robots.add(session.account, await body(), auditNote),
    },
    {
      for: 'session',
      method: 'POST',
      path: 'pairings',
      label: 'console_pairings',
      handle: async ({ session, body }) => robots.pairing(session.account, await body()),
    },
    {
      for: 'session',
      method: 'PATCH',
      path: 'robots/{robot}',
      label: 'console_robot',
      handle: async ({ session, params, body }) => ({ ok: true, robot: await robots.rename(session.account, params['robot']!, await body()) }),
    },
    {
      for: 'session',
      method: 'DELETE',
      path: 'robots/{robot}',
      audit: 'robot_remove',
      label: 'console_robot',
      handle: async ({ session, params }) => {
        await robots.remove(session.account, params['robot']!);
        return { ok: true };
      },
    },
    {
      for: 'session',
      method: 'POST',
      path: 'robots/{robot}/token',
      audit: 'robot_token_renew',
      label: 'console_robot_token',
      handle: async ({ session, params }) => ({ ok: true, token: await robots.newToken(session.account, params['robot']!) }),
    },
    {
      for: 'session',
      method: 'GET',
      path: 'robots/{robot}/log',
      label: 'console_robot_log',
      handle: ({ session, params }) => robots.log(session.account, params['robot']!),
    },
    { for: 'session', method: 'GET', path: 'robots/{robot}/screen', label: 'console_screen', handle: screen },
  ];
}
