/** The routes of the interface, at /v1 for programs and at /console/v1 for the web page. */
import { actions, previewedActions, robotsQueryNames, validateRobotsQuery } from '@perch/schema';
import type { Discovery } from '../discovery/discovery.js';
import type { Drain } from '../http/drain.js';
import { queryArguments } from '../http/query.js';
import type { RobotListReader } from '../robots/robot-list-reader.js';
import type { RestRequest, RestRoute } from './rest.js';
import type { RobotHandlers } from './robot-handlers.js';
import { RobotListResponses } from './robot-list-response.js';

export interface RestRoutesOptions {
  robotList: RobotListReader;
  handlers: RobotHandlers;
  discovery: Discovery;
  drain: Drain;
}

export function restRoutes({ robotList, handlers, discovery, drain }: RestRoutesOptions): RestRoute[] {
  const listResponses = new RobotListResponses(robotList);

  async function list({ exchange, key, query }: RestRequest): Promise<null> {
    const wanted = validateRobotsQuery(queryArguments(query, robotsQueryNames), new URLSearchParams(query).getAll('label'));
    if (drain.announced) exchange.setHeader('connection', 'close');
    await listResponses.send(exchange, key, wanted);
    return null;
  }

  return [
    { method: 'GET', path: 'robots', cost: 1, label: 'robots', handle: list },
    { method: 'GET', path: 'actions', cost: 0, label: 'actions', handle: async () => discovery.actions() },
    { method: 'GET', path: 'icons', cost: 0, label: 'icons', handle: async () => discovery.icons() },
    { method: 'GET', path: 'openapi.json', cost: 0, label: 'openapi', handle: async ({ exchange }) => discovery.openApi(exchange.request) },
    { method: 'GET', path: 'robots/{robot}', cost: 1, label: 'state', handle: handlers.state },
    ...actions.map(({ name }): RestRoute => ({
      method: 'POST',
      path: `robots/{robot}/${name}`,
      cost: 1,
      label: name,
      handle: handlers.action(name),
    })),
    { method: 'GET', path: 'robots/{robot}/screen', cost: 1, label: 'screen', handle: handlers.screen },
    ...previewedActions.map((name): RestRoute => ({
      method: 'POST',
      path: `robots/{robot}/preview/${name}`,
      cost: 1,
      label: 'preview',
      handle: handlers.preview(name),
    })),
    { method: 'GET', path: 'robots/{robot}/events', cost: 1, label: 'events', handle: handlers.events },
    { method: 'POST', path: 'robots/{robot}/stop', cost: 1, label: 'stop', handle: handlers.stop },
    // A scene is charged by its handler, because its cost depends on its body.
    { method: 'POST', path: 'robots/{robot}/scene', cost: 0, label: 'scene', handle: handlers.scene },
  ];
}
