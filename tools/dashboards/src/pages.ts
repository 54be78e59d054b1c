/** In the order of the menu. */
import { fleet } from './pages/fleet.js';
import { gateway } from './pages/gateway.js';
import { overview } from './pages/overview.js';
import { redis } from './pages/redis.js';
import { renderer } from './pages/renderer.js';
import { robotLink } from './pages/robot-link.js';
import { robot } from './pages/robot.js';
import { slo } from './pages/slo.js';
import { webhooks } from './pages/webhooks.js';
import type { Page } from './page.js';

export const pages: readonly Page[] = [overview, fleet, robot, gateway, robotLink, renderer, webhooks, redis, slo];

export function fileText({ dashboard }: Page): string {
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
