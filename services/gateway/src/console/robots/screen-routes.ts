/** Cards and questions that a robot showed. Their pictures are drawn from the kept arguments when a page asks for them. */
import { ApiError, type EarlierScreensAnswer } from '@perch/schema';
import { screenViewOf, type Store } from '@perch/store';
import type { ActivityLog } from '../../activity/activity-log.js';
import type { Redraw } from '../../actions/screens/redraw.js';
import { BytesAnswer } from '../../http/router.js';
import type { SessionRequest, SessionRoute } from '../route.js';
import { noSuchRobot } from './no-such-robot.js';

/** Cache lifetime of a picture in the browser: its id identifies its content. */
const cachedS = 3600;

export interface ScreenServices {
  store: Pick<Store, 'robots' | 'screenHistory'>;
  activity: Pick<ActivityLog, 'settle'>;
  redraw: Redraw;
}

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
