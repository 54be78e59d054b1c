/** This process calls every variant with the same client, and checks every answer. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { percentile } from '../statistics.js';
import { serve } from '../worker.js';
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
  const pool = new Pool(base, { connections: inFlight, pipelining: 1, headersTimeout: answerWithinMs, bodyTimeout: answerWithinMs });
  const paths = robots.map((robot) => `/v1/robots/${robot}/${action}`);
  const perRobot = robots.map(() => 0);
  const latencies: number[] = [];
  const wrongOnes: string[] = [];
  let wrong = 0;
  let begun = 0;
  const startedAt = performance.now();

  const caller = async (): Promise<void> => {
    while (begun < calls) {
      const call = begun++;
      if (perS !== undefined) await until(startedAt + (call * 1000) / perS);
      const sentAt = performance.now();
      if (sentAt - startedAt > withinMs) return;
      const robot = call % robots.length;
      perRobot[robot]!++;
      const key = keys[nextKey++ % keys.length]!;
      const args = body?.replaceAll('$n', String(nextKey)) ?? JSON.stringify({ color: color() });
      const problem =
        tool === undefined
          ? await callOnce(pool, paths[robot]!, key, args, expected, {
              ...(keyed && { 'idempotency-key': idempotencyKeys + nextKey }),
              ...(traced && { traceparent: `00-${randomHex(16)}-${randomHex(8)}-01` }),
            })
          : await callOnce(
              pool,
              '/mcp',
              key,
              toolCall(tool, call, `robot_${action}`, robots[robot]!, args),
              toolAnswer(call, expected),
              toolHeaders(tool, action),
            );
      latencies.push(performance.now() - sentAt);
      if (problem === null) continue;
      wrong++;
      if (wrongOnes.length < wrongOnesMax) wrongOnes.push(problem);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  const elapsedMs = performance.now() - startedAt;
  await pool.close();
  return {
    calls: latencies.length,
    perRobot,
    wrong,
    wrongOnes,
    elapsedMs,
    p50Ms: percentile(latencies, 50),
    p99Ms: percentile(latencies, 99),
  };
}

async function callOnce(
  pool: Pool,
  path: string,
  key: string,
  body: string,
  expected: string,
  more: Record<string, string> = {},
): Promise<string | null> {
  try {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more };
    const answer = await pool.request({ method: 'POST', path, headers, body });
    const text = await answer.body.text();
    return answer.statusCode === 200 && text.startsWith(expected) ? null : `${answer.statusCode} ${text}`;
  } catch (error) {
    return String(error);
  }
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

let held: { answers: Promise<(string | null)[]>; pool: Pool }[] = [];
let wrongPolls: string[] = [];

function poll({ base, keys, robots }: Targets, { polls, seconds }: PollsOptions): void {
  const withinMs = (seconds + 10) * 1000;
  const pool = new Pool(base, { connections: polls, pipelining: 1, headersTimeout: withinMs, bodyTimeout: withinMs, connectTimeout: 60_000 });
  const answers = Array.from({ length: polls }, async (_, i) => {
    await pause((i * 1000) / connectionsPerS);
    const problem = await pollOnce(
      pool,
      `/v1/robots/${robots[i % robots.length]}/events?names=tap&seconds=${seconds}`,
      keys[nextKey++ % keys.length]!,
    );
    if (problem !== null && wrongPolls.length < wrongOnesMax) wrongPolls.push(problem);
    return problem;
  });
  held.push({ pool, answers: Promise.all(answers) });
}

async function pollOnce(pool: Pool, path: string, key: string): Promise<string | null> {
  try {
    const answer = await pool.request({ method: 'GET', path, headers: { authorization: `Bearer ${key}` } });
    const text = await answer.body.text();
    const read = JSON.parse(text) as { ok?: boolean; events?: { name: string }[] };
    return read.ok === true && read.events?.length === 1 && read.events[0]?.name === 'tap' ? null : `${answer.statusCode} ${text.slice(0, 200)}`;
  } catch (error) {
    return String(error);
  }
}

async function pollsAnswered(): Promise<PollsAnswered> {
  const polled = held;
  held = [];
  const problems = (await Promise.all(polled.map(({ answers }) => answers))).flat();
  await Promise.all(polled.map(({ pool }) => pool.close()));
  const wrongOnes = wrongPolls;
  wrongPolls = [];
  return { answered: problems.length, wrong: problems.filter((problem) => problem !== null).length, wrongOnes };
}

serve({ act, poll, pollsAnswered, wrongPolls: () => wrongPolls });
