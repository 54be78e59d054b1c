import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@perch/runtime';
import { StoreError } from '@perch/store';
import { until } from '@perch/testkit';
import { CallLog } from '../src/server/app.js';
import type { Exchange } from '../src/http/exchange.js';
import { ServiceTime } from '../src/calls/service-time.js';
import { useGateway, useOwner } from './gateway-under-test.js';

interface Line {
  level: string;
  msg: string;
  request_id: string;
  trace_id?: string;
  action: string;
  code: string;
  robot?: string;
  ms: number;
  service_ms: number;
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-00`;

describe('the log of calls', () => {
  const texts: string[] = [];
  const system = useGateway({ logTo: texts, logLevel: 'debug' });
  const owner = useOwner(system);

  let calls = 0;
  async function linesOf(
    action: string,
    args: object,
    { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
  ): Promise<Line[]> {
    const id = `call-${++calls}`;
    const path = body === undefined ? `/v1/robots/${owner.robot}/${action}` : '/mcp';
    await system.ask('POST', path, { apiKey: owner.apiKey, body: body ?? args, headers: { ...headers, 'x-request-id': id } });
    const lines = (): Line[] => texts.map((text) => JSON.parse(text) as Line).filter((line) => line.request_id === id);
    await until(() => lines().some(({ msg }) => /^(?:request ended|a call)/.test(msg)));
    return lines();
  }
  const breakRenders = (): void => {
    system.beforeDrawn = () => Promise.reject(new Error('no ink'));
  };

  it('writes one line at warn, with request and trace id, for a call that the service failed', async () => {
    breakRenders();
    const [line, ...others] = await linesOf('show', { text: `failing ${Date.now()}` }, { headers: { traceparent } });
    assert.deepEqual(others, []);
    const { level, msg, action, code, robot, trace_id } = line!;
    assert.deepEqual(
      [level, msg, action, code, robot, trace_id],
      ['warn', 'a call failed by the service', 'show', 'render_failed', owner.robot, traceId],
    );
    assert.ok(line!.ms >= 0 && line!.service_ms >= 0);
  });

  it('writes the same line for a tool call, which is answered with 200', async () => {
    breakRenders();
    const params = { name: 'robot_show', arguments: { robot: owner.robot, text: `failing tool ${Date.now()}` } };
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
    const [line, ...others] = await linesOf('', {}, { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers });
    assert.deepEqual(others, []);
    assert.deepEqual([line!.level, line!.action, line!.code, line!.robot], ['warn', 'show', 'render_failed', owner.robot]);
  });

  it('writes no line above debug for a call that succeeded, or that failed because of the client, the robot or a limit', async () => {
    system.link.answer = (message) => ({ t: 'nack', id: message.id, code: 'robot_busy', error: 'busy' });
    const failed = await linesOf('face', { emotion: 'happy' });
    const wrong = await linesOf('face', { emotion: 'none' });
    system.link.answer = (message) => ({ t: 'ack', id: message.id, result: {} });
    const done = await linesOf('face', { emotion: 'happy' });
    assert.deepEqual(
      [failed, wrong, done].map((lines) =>
        lines.filter(({ msg }) => msg !== 'a call was slow by the service').map(({ level, code }) => [level, code]),
      ),
      [[['debug', 'robot_busy']], [['debug', 'bad_argument']], [['debug', 'ok']]],
    );
  });

  it('writes one line at info for a call that took the service more than a second', async () => {
    system.beforeDrawn = () => sleep(1200);
    const lines = await linesOf('show', { text: `slow ${Date.now()}` });
    assert.deepEqual(
      lines.map(({ level, msg, code }) => [level, msg, code]),
      [['info', 'a call was slow by the service', 'ok']],
    );
    assert.ok(lines[0]!.service_ms > 1000);
  });

  it('does not count the time spent waiting for a robot, a tap or an event', async () => {
    const outsideMs = ({ ms, service_ms }: Line): number => ms - service_ms;
    system.link.answer = async (message) => {
      await sleep(300);
      return { t: 'ack', id: message.id, result: {} };
    };
    const [slowRobot] = await linesOf('face', { emotion: 'happy' });
    assert.ok(outsideMs(slowRobot!) >= 250, JSON.stringify(slowRobot));
    system.link.onWait = async (record, robot) => {
      await sleep(300);
      await system.link.settle(robot, record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    };
    const [slowPerson] = await linesOf('ask', { question: 'Now?', answers: ['Yes', 'No'], timeout_s: 20 });
    assert.ok(outsideMs(slowPerson!) >= 250, JSON.stringify(slowPerson));
    const [poll] = await linesOf('events', { seconds: 1 });
    assert.ok(outsideMs(poll!) >= 900, JSON.stringify(poll));
  });

  it('counts the time in which a command was in transit to the robot-link', async () => {
    const slow = async (lateMs: number): Promise<Line> => {
      system.link.answer = async (message) => {
        const at = system.store.clock.now();
        await sleep(400);
        return { t: 'ack', id: message.id, result: {}, ...(lateMs > 0 && { receivedAt: at + lateMs }) };
      };
      return (await linesOf('face', { emotion: 'happy' }))[0]!;
    };
    const robots = await slow(0);
    assert.ok(robots.ms - robots.service_ms >= 350, JSON.stringify(robots));
    const links = await slow(300);
    assert.ok(links.service_ms >= 290, JSON.stringify(links));
  });

  it('writes the first lines of an outage, and then the number of suppressed ones', () => {
    const lines: string[] = [];
    const log = new CallLog(createLogger({ level: 'info', service: 'gateway', instance: 'gw-test' }, { write: (line) => void lines.push(line) }));
    const exchange = {
      requestId: 'r',
      traceId: null,
      action: 'face',
      robot: null,
      robotNamed: null,
      startedAt: 0,
      cause: undefined,
      time: new ServiceTime(0),
    };
    for (let i = 0; i < 1000; i++) log.ended(exchange as unknown as Exchange, 'service_unavailable', 1);
    assert.equal(lines.length, 20);
    log.ended(exchange as unknown as Exchange, 'render_failed', 1);
    assert.equal(lines.length, 21, 'another failure has lines of its own');
    const outage = { ...exchange, cause: new StoreError('unavailable', 'Redis: Connection is closed.') };
    for (let i = 0; i < 1000; i++) log.ended(outage as unknown as Exchange, 'service_unavailable', 1);
    assert.equal(lines.length, 22, 'once a minute with the error of Redis');
    for (let i = 0; i < 1000; i++) log.ended(exchange as unknown as Exchange, 'draining', 1);
    assert.deepEqual([lines.length, lines.at(-1)!.includes('"level":"info"')], [42, true], 'a planned stop is no warning');
  });
});
