/** This process calls every variant with the same client, and checks every answer. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sharedNow } from '../shared-clock.js';
import { percentile } from '../statistics.js';
import { serve } from '../worker.js';
import { headerOf, type HttpAnswer } from './http-answers.js';
import { HttpConnections } from './http-connection.js';
import { toolAnswer, toolCall, toolHeaders } from './tool-call.js';
import type { Acted, ActOptions, PollsAnswered, PollsOptions, Targets } from './load.js';

const wrongOnesMax = 5;
const answerWithinMs = 20_000;
/** Slow enough for a gateway on a small machine to accept each connection in time: late replies of Redis cause errors. */
const connectionsPerS = 800;

const idempotencyKeys = `bench-${process.pid}-`;

/** The rate limits refill evenly. */
let nextKey = 0;
let nextColor = 1;

async function act(targets: Targets, options: ActOptions): Promise<Acted> {
  const { base, keys, robots } = targets;
  const { calls, inFlight, perS, withinMs, action = 'leds', tool, keyed, traced, body, expected = '{"ok":true}' } = options;
  const connections = new HttpConnections(base, inFlight, answerWithinMs);
  const paths = robots.map((robot) => `/v1/robots/${robot}/${action}`);
  const perRobot = robots.map(() => 0);
  const latencies: number[] = [];
  const sentAts: number[] = [];
  const wrongOnes: string[] = [];
  let wrong = 0;
  let begun = 0;
  const startedAt = performance.now();
  const isLate = (): boolean => performance.now() - startedAt > withinMs;

  const makeCall = async (call: number, connection: number): Promise<void> => {
    const robot = call % robots.length;
    perRobot[robot]!++;
    const key = keys[nextKey++ % keys.length]!;
    const args = body?.replaceAll('$n', String(nextKey)) ?? JSON.stringify({ color: color() });
    sentAts.push(sharedNow());
    const sentAt = performance.now();
    const problem =
      tool === undefined
        ? await callOnce(connections, connection, paths[robot]!, key, args, expected, {
            ...(keyed && { 'idempotency-key': idempotencyKeys + nextKey }),
            ...(traced && { traceparent: `00-${randomHex(16)}-${randomHex(8)}-01` }),
          })
        : await callOnce(
            connections,
            connection,
            '/mcp',
            key,
            toolCall(tool, call, `robot_${action}`, robots[robot]!, args),
            toolAnswer(tool, call, expected),
            toolHeaders(tool, action),
          );
    latencies.push(performance.now() - sentAt);
    if (problem === null) return;
    wrong++;
    if (wrongOnes.length < wrongOnesMax) wrongOnes.push(problem);
  };

  const caller = async (_: unknown, connection: number): Promise<void> => {
    while (begun < calls && !isLate()) await makeCall(begun++, connection);
  };
  /** Each call leaves when it is due, also if earlier ones are not answered. */
  const openLoop = async (everyMs: number): Promise<void> => {
    const unanswered: Promise<void>[] = [];
    for (let call = 0; call < calls; call++) {
      await until(startedAt + call * everyMs);
      if (isLate()) break;
      unanswered.push(makeCall(call, connections.leastUsed));
    }
    await Promise.all(unanswered);
  };
  await (perS === undefined ? Promise.all(Array.from({ length: inFlight }, caller)) : openLoop(1000 / perS));
  const elapsedMs = performance.now() - startedAt;
  connections.close();
  return {
    calls: latencies.length,
    perRobot,
    wrong,
    wrongOnes,
    elapsedMs,
    p50Ms: percentile(latencies, 50),
    p99Ms: percentile(latencies, 99),
    sentAt: sentAts,
  };
}

async function callOnce(
  connections: HttpConnections,
  connection: number,
  path: string,
  key: string,
  body: string,
  expected: string,
  more: Record<string, string> = {},
): Promise<string | null> {
  try {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more };
    const answer = await connections.ask(connection, { method: 'POST', path, headers, body });
    return isAsExpected(answer, expected) ? null : `${answer.status} ${answer.body}`;
  } catch (error) {
    return String(error);
  }
}

/** An expected text that is no whole JSON value is the beginning of the answer. */
function isAsExpected({ status, headers, body }: HttpAnswer, expected: string): boolean {
  if (status !== 200 || !/^application\/json\b/.test(headerOf(headers, 'content-type') ?? '')) return false;
  return body === expected || (!expected.endsWith('}') && body.startsWith(expected));
}

function color(): string {
  nextColor = (nextColor * 69_069 + 1) % 0x1000000;
  return `#${nextColor.toString(16).padStart(6, '0')}`;
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

async function until(at: number): Promise<void> {
  const left = at - performance.now();
  if (left > 1) await pause(left);
}

let held: { answers: Promise<(string | null)[]>; connections: HttpConnections }[] = [];
let wrongPolls: string[] = [];

function poll({ base, keys, robots }: Targets, { polls, seconds }: PollsOptions): void {
  const connections = new HttpConnections(base, polls, (seconds + 60) * 1000);
  const answers = Array.from({ length: polls }, async (_, i) => {
    await pause((i * 1000) / connectionsPerS);
    const path = `/v1/robots/${robots[i % robots.length]}/events?names=tap&seconds=${seconds}`;
    const problem = await pollOnce(connections, i, path, keys[nextKey++ % keys.length]!);
    if (problem !== null && wrongPolls.length < wrongOnesMax) wrongPolls.push(problem);
    return problem;
  });
  held.push({ connections, answers: Promise.all(answers) });
}

async function pollOnce(connections: HttpConnections, connection: number, path: string, key: string): Promise<string | null> {
  try {
    const { status, body } = await connections.ask(connection, { method: 'GET', path, headers: { authorization: `Bearer ${key}` } });
    const read = JSON.parse(body) as { ok?: boolean; events?: { name: string }[] };
    return read.ok === true && read.events?.length === 1 && read.events[0]?.name === 'tap' ? null : `${status} ${body.slice(0, 200)}`;
  } catch (error) {
    return String(error);
  }
}

async function pollsAnswered(): Promise<PollsAnswered> {
  const polled = held;
  held = [];
  const problems = (await Promise.all(polled.map(({ answers }) => answers))).flat();
  for (const { connections } of polled) connections.close();
  const wrongOnes = wrongPolls;
  wrongPolls = [];
  return { answered: problems.length, wrong: problems.filter((problem) => problem !== null).length, wrongOnes };
}

serve({ act, poll, pollsAnswered, wrongPolls: () => wrongPolls });
