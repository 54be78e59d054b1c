/** The goals in the words of docs/performance.md, and the rows that measure each. A test compares the two. */

export type Bound = { atMost: number } | { atLeast: number } | { exactly: number };

export interface RowSpec {
  name: string;
  unit: string;
  /** Null: a figure without a goal of its own. */
  bound: Bound | null;
  /** Null: an absolute figure. */
  of: string | null;
}

export interface Goal {
  /** The first two columns of the line in docs/performance.md. */
  title: string;
  goal: string;
  rows: readonly RowSpec[];
}

const atMost = (bound: number): Bound => ({ atMost: bound });
const atLeast = (bound: number): Bound => ({ atLeast: bound });
const exactly = (bound: number): Bound => ({ exactly: bound });

function row<const N extends string>(name: N, unit: string, bound: Bound | null, of: string | null = null) {
  return { name, unit, bound, of };
}

export const goals = [
  {
    title: "awaited Redis round trips before a simple action's command leaves (not waits, new pictures, Idempotency-Key)",
    goal: '1',
    rows: [row('awaited round trips', 'round trips', exactly(1))],
  },
  {
    title: 'Redis commands sent per simple action, 1 / 16 in flight, one Redis or a Cluster',
    goal: '3.0 / 1.5',
    rows: [
      row('commands, 1 in flight', 'commands/action', atMost(3)),
      row('commands, 16 in flight', 'commands/action', atMost(1.5)),
      row('commands, 64 in flight', 'commands/action', null),
      row('commands on a Cluster, 1 in flight', 'commands/action', atMost(3)),
      row('commands on a Cluster, 16 in flight', 'commands/action', atMost(1.5)),
      row('commands on a Cluster, 64 in flight', 'commands/action', null),
      row('commands the server counted otherwise than the client', 'commands', exactly(0)),
    ],
  },
  {
    title: 'CPU per action of all processes, 16 in flight',
    goal: 'at most 1.0 M, 1.7 L, 0.28 S+',
    rows: [
      row('CPU against M, 16 in flight', 'x', atMost(1), 'M'),
      row('CPU against L, 16 in flight', 'x', atMost(1.7), 'L'),
      row('CPU against S+, 16 in flight', 'x', atMost(0.28), 'S+'),
      row('CPU of L, 16 in flight', 'ms/action', null),
      row('CPU of S+, 16 in flight', 'ms/action', null),
      row('CPU of A+, 16 in flight', 'ms/action', null),
      row('CPU of M, 16 in flight', 'ms/action', null),
      row('CPU of Perch, 16 in flight', 'ms/action', null),
      row('CPU of the gateway, 16 in flight', 'ms/action', null),
      row('CPU of the robot-link, 16 in flight', 'ms/action', null),
      row('CPU of Redis, 16 in flight', 'ms/action', null),
    ],
  },
  {
    title: 'CPU per action of all processes, 1 in flight and 500 a second (open loop)',
    goal: 'at most 1.3 M',
    rows: [
      row('CPU against M, 1 in flight', 'x', atMost(1.3), 'M'),
      row('CPU against M, 500/s', 'x', atMost(1.3), 'M'),
      row('CPU of M, 1 in flight', 'ms/action', null),
      row('CPU of Perch, 1 in flight', 'ms/action', null),
      row('CPU of M, 500/s', 'ms/action', null),
      row('CPU of Perch, 500/s', 'ms/action', null),
    ],
  },
  {
    title: 'latency, 1 in flight, p50; 500 a second (open loop), p99',
    goal: 'at most 2.6 L and 0.7 S+; at most 0.3 S+',
    rows: [
      row('p50 against L, 1 in flight', 'x', atMost(2.6), 'L'),
      row('p50 against S+, 1 in flight', 'x', atMost(0.7), 'S+'),
      row('p99 against S+, 500/s', 'x', atMost(0.3), 'S+'),
      row('p50 of L, 1 in flight', 'ms', null),
      row('p50 of S+, 1 in flight', 'ms', null),
      row('p50 of A+, 1 in flight', 'ms', null),
      row('p50 of M, 1 in flight', 'ms', null),
      row('p50 of Perch, 1 in flight', 'ms', null),
      row('p99 of L, 500/s', 'ms', null),
      row('p99 of S+, 500/s', 'ms', null),
      row('p99 of A+, 500/s', 'ms', null),
      row('p99 of M, 500/s', 'ms', null),
      row('p99 of Perch, 500/s', 'ms', null),
    ],
  },
  {
    title: 'throughput, 64 in flight',
    goal: 'at least 3 S+, 2.7 A+ and 1.0 M, no bad answer',
    rows: [
      row('throughput against S+, 64 in flight', 'x', atLeast(3), 'S+'),
      row('throughput against A+, 64 in flight', 'x', atLeast(2.7), 'A+'),
      row('throughput against M, 64 in flight', 'x', atLeast(1), 'M'),
      row('wrong answers and commands, all variants', 'answers', exactly(0)),
      row('throughput of L, 64 in flight', 'actions/s', null),
      row('throughput of S+, 64 in flight', 'actions/s', null),
      row('throughput of A+, 64 in flight', 'actions/s', null),
      row('throughput of M, 64 in flight', 'actions/s', null),
      row('throughput of Perch, 64 in flight', 'actions/s', null),
    ],
  },
  {
    title: 'gateway against the same gateway on node:http',
    goal: 'at most 1.25x',
    rows: [row('gateway against node:http', 'x', atMost(1.25), 'the gateway without express')],
  },
  {
    title: 'a tool call at /mcp against the same action over HTTP, CPU',
    goal: 'at most 3x',
    rows: [
      row('CPU of a tool call of 2025 against HTTP', 'x', atMost(3), 'the same action over HTTP'),
      row('CPU of a tool call of 2026-07-28 against HTTP', 'x', atMost(3), 'the same action over HTTP'),
    ],
  },
  {
    title: 'a tool call at /mcp with an access token of an OAuth client against the same call with an API key, CPU',
    goal: 'at most 1.10x',
    rows: [row('CPU of a tool call with an access token', 'x', atMost(1.1), 'the same call with an API key')],
  },
  {
    title: 'a call with an Idempotency-Key against one without, CPU',
    goal: 'at most 2x',
    rows: [row('CPU of a call with an Idempotency-Key', 'x', atMost(2), 'the same action without one')],
  },
  {
    title: 'a question never drawn, from the request to the whole picture at the robot, p50 / p99, 1 in flight',
    goal: 'at most 15 / 60 ms',
    rows: [row('a new question at the robot, p50', 'ms', atMost(15)), row('a new question at the robot, p99', 'ms', atMost(60))],
  },
  {
    title: 'its CPU, drawing processes counted',
    goal: 'at most 5 ms',
    rows: [row('CPU of a new question', 'ms/question', atMost(5))],
  },
  {
    title: 'awaited Redis round trips before a known question leaves',
    goal: '4',
    rows: [row('awaited round trips of a known question', 'round trips', atMost(4))],
  },
  {
    title: 'bytes of a question, card and menu to the robot, mean: a robot that reads `png8` / one that does not (lossless)',
    goal: 'at most 6 / 13 kB',
    rows: [row('bytes of a picture, png8', 'kB/picture', atMost(6)), row('bytes of a picture, lossless', 'kB/picture', atMost(13))],
  },
  {
    title: 'CPU-seconds per million: actions at 500 a second / with an Idempotency-Key / new questions',
    goal: 'at most 600 / 750 / 5000',
    rows: [
      row('CPU-seconds per million, actions at 500/s', 's', atMost(600)),
      row('CPU-seconds per million, with an Idempotency-Key', 's', atMost(750)),
      row('CPU-seconds per million, new questions', 's', atMost(5000)),
    ],
  },
  {
    title: 'traces, CPU per action: of one call in a hundred against none; off, against an earlier build (`--base DIR`)',
    goal: 'at most 1.10x',
    rows: [
      row('CPU with 1 % of the calls traced', 'x', atMost(1.1), 'traces off'),
      row('CPU with traces off', 'x', atMost(1.1), 'the build of --base'),
    ],
  },
  {
    title: 'growth: CPU per action of 8 instances against 1; CPU and commands per action of 10,000 robots against 500',
    goal: 'at most 1.05x',
    rows: [
      row('CPU, many robot-links against 1', 'x', atMost(1.05), '1 robot-link'),
      row('CPU, the same calls spread over many robot-links', 'x', null, '1 robot-link'),
      row('CPU, many robots against few', 'x', atMost(1.05), 'few robots'),
      row('commands, many robots against few', 'x', atMost(1.05), 'few robots'),
    ],
  },
  {
    title: 'memory per idle robot at 10,000, with its state, median of 3 processes after collection',
    goal: 'at most 9 kB RSS, 0.65 S+',
    rows: [
      row('memory per robot', 'kB', atMost(9)),
      row('memory per robot against S+', 'x', atMost(0.65), 'S+'),
      row('memory per robot of S+', 'kB', null),
    ],
  },
  {
    title: 'idle robot',
    goal: 'at most 1 Redis command per 30 s; sensor report CPU at most 1.35x parsing it',
    rows: [
      row('commands of an idle robot', 'commands/30 s', atMost(1)),
      row('CPU of a sensor report against parsing', 'x', atMost(1.35), 'receiving and parsing it (L)'),
      row('CPU of a sensor report', 'ms/report', null),
    ],
  },
  {
    title: 'a picture seen before',
    goal: '0 jobs, 1 Redis command; 64 equal requests at once are 1 job',
    rows: [
      row('jobs of a picture seen before', 'jobs', exactly(0)),
      row('commands of a picture seen before', 'commands', exactly(1)),
      row('jobs of 64 equal requests', 'jobs', exactly(1)),
    ],
  },
  {
    title: 'a new picture, and a new question with its answer, CPU with the processes that draw: against an earlier build (`--base DIR`)',
    goal: 'at most 1.10x',
    rows: [
      row('CPU of a new picture against an earlier build', 'x', atMost(1.1), 'the build of --base'),
      row('CPU of a new question against an earlier build', 'x', atMost(1.1), 'the build of --base'),
    ],
  },
  {
    title: 'long polls',
    goal: 'Redis connections constant (at most 4 a gateway and Redis node) from 1 to 10,000 polls',
    rows: [
      row('connections with many polls', 'connections', atMost(4)),
      row('connections more than with 1 poll', 'connections', exactly(0)),
      row('memory per held poll', 'kB', null),
    ],
  },
  {
    title: '10,000 reporting robots, 500 actions a second and 500 asks a minute on one gateway and robot-link: p99 of an action',
    goal: 'at most 25 ms',
    rows: [row('p99 of an action among many robots', 'ms', atMost(25)), row('p50 of an action among many robots', 'ms', null)],
  },
] as const satisfies readonly Goal[];

export const furtherRows = [
  row('a new question against a plain action, p50', 'x', null, 'a plain action'),
  row('a new question, p99 against p50', 'x', null, 'its p50'),
  row('bytes, 16 in flight', 'bytes/action', null),
  row('CPU of a wait, asked and answered', 'ms/wait', null),
  row('commands of a wait, asked and answered', 'commands/wait', null),
  row('CPU of a new picture', 'ms/picture', null),
  row('commands of a new picture', 'commands/picture', null),
  row('CPU of a streamed sound', 'ms/sound', null),
] as const satisfies readonly RowSpec[];

export const allRows = [...goals.flatMap(({ rows }) => rows as readonly RowSpec[]), ...(furtherRows as readonly RowSpec[])];

export type RowName = (typeof goals)[number]['rows'][number]['name'] | (typeof furtherRows)[number]['name'];

export function boundText(bound: Bound | null): string | null {
  if (bound === null) return null;
  if ('atMost' in bound) return `at most ${bound.atMost}`;
  return 'atLeast' in bound ? `at least ${bound.atLeast}` : String(bound.exactly);
}
