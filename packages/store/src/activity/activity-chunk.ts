/** Entries of an account's activity as they are stored: JSON with names of one letter, since most of an entry would be names. */

export type ActivityKind = 'calls' | 'changes';

/** How an entry came about: by a program over HTTP, by an agent's tool, on the web page, or by an operator's command. */
export type ActivityVia = 'http' | 'agent' | 'page' | 'operator';

/** Absent fields do not apply. */
export interface ActivityEntry {
  /** Redis ms. */
  at: number;
  via: ActivityVia;
  action: string;
  /** ok, answered, timed_out, replaced, replayed, client_closed, or the code of an error. */
  outcome: string;
  key?: { id: string; name: string };
  robot?: string;
  /** Number of equal refusals that this entry stands for; absent: 1. */
  count?: number;
  ms?: number;
  question?: string;
  answer?: string;
  /** Where a clickmap was tapped, screen pixels. */
  x?: number;
  y?: number;
  /** Time from the question on the screen to the tap, ms. */
  tapMs?: number;
  network?: string;
  subject?: string;
  /** E-mail address of the person with whom the robot is shared, who made the call or whose access changed. */
  guest?: string;
}

interface Chunk {
  /** Names of keys by id, as of when the entries were written. */
  k?: Record<string, string>;
  e: StoredEntry[];
}

interface StoredEntry {
  t: number;
  v: ActivityVia;
  a: string;
  o: string;
  k?: string | undefined;
  r?: string | undefined;
  n?: number | undefined;
  m?: number | undefined;
  q?: string | undefined;
  w?: string | undefined;
  x?: number | undefined;
  y?: number | undefined;
  p?: number | undefined;
  i?: string | undefined;
  s?: string | undefined;
  g?: string | undefined;
}

export function chunkText(entries: readonly ActivityEntry[]): string {
  const names: Record<string, string> = {};
  const e = entries.map(
    ({ at, via, action, outcome, key, robot, count, ms, question, answer, x, y, tapMs, network, subject, guest }): StoredEntry => {
      if (key !== undefined) names[key.id] = key.name;
      return {
        t: at,
        v: via,
        a: action,
        o: outcome,
        k: key?.id,
        r: robot,
        n: count,
        m: ms,
        q: question,
        w: answer,
        x,
        y,
        p: tapMs,
        i: network,
        s: subject,
        g: guest,
      };
    },
  );
  return JSON.stringify({ k: names, e } satisfies Chunk);
}

export function parseChunk(json: string): ActivityEntry[] {
  const { k: names = {}, e } = JSON.parse(json) as Chunk;
  return e.map(({ t, v, a, o, k, r, n, m, q, w, x, y, p, i, s, g }) => ({
    at: t,
    via: v,
    action: a,
    outcome: o,
    ...(k === undefined ? {} : { key: { id: k, name: names[k] ?? '' } }),
    ...(r === undefined ? {} : { robot: r }),
    ...(n === undefined ? {} : { count: n }),
    ...(m === undefined ? {} : { ms: m }),
    ...(q === undefined ? {} : { question: q }),
    ...(w === undefined ? {} : { answer: w }),
    ...(x === undefined ? {} : { x }),
    ...(y === undefined ? {} : { y }),
    ...(p === undefined ? {} : { tapMs: p }),
    ...(i === undefined ? {} : { network: i }),
    ...(s === undefined ? {} : { subject: s }),
    ...(g === undefined ? {} : { guest: g }),
  }));
}
