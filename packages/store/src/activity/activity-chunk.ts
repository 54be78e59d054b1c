/**
 * Entries of an account's activity as they are stored: JSON arrays with what every call has, and names of one letter for the rest. With names and
 * repeated values, an entry would be a fifth of an action's bytes through Redis.
 */

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
  /** Time of the first entry. */
  t: number;
  /** Ids and names of keys as of when the entries were written: id, name, id, name … */
  k: string[];
  e: StoredEntry[];
}

/**
 * `at`: ms from the chunk's `t`. `key`: number of the key in `k` from 1, 0 for none. `robot`: '' for none. `ms`: -1 for none. `more` is absent if the call
 * came over HTTP, ended as `ok`, and has no other field.
 */
type StoredEntry = [at: number, action: string, key: number, robot: string, ms: number, more?: More];

interface More {
  v?: ActivityVia | undefined;
  o?: string | undefined;
  n?: number | undefined;
  q?: string | undefined;
  w?: string | undefined;
  x?: number | undefined;
  y?: number | undefined;
  p?: number | undefined;
  i?: string | undefined;
  s?: string | undefined;
  g?: string | undefined;
}

/** As builds before the release of 0.10.0 wrote it; entries are kept for 30 days. */
interface NamedChunk {
  k?: Record<string, string>;
  e: (More & { t: number; a: string; k?: string; r?: string; m?: number })[];
}

const usual = { via: 'http', outcome: 'ok' } as const;

export function chunkText(entries: readonly ActivityEntry[]): string {
  const t = entries[0]?.at ?? 0;
  const k: string[] = [];
  const numbers = new Map<string, number>();
  const numberOf = ({ id, name }: { id: string; name: string }): number => {
    const known = numbers.get(id);
    if (known !== undefined) return known;
    const number = k.push(id, name) / 2;
    numbers.set(id, number);
    return number;
  };
  const e = entries.map(
    ({ at, via, action, outcome, key, robot, count, ms, question, answer, x, y, tapMs, network, subject, guest }): StoredEntry => {
      const stored: StoredEntry = [at - t, action, key === undefined ? 0 : numberOf(key), robot ?? '', ms ?? -1];
      const more: More = {
        v: via === usual.via ? undefined : via,
        o: outcome === usual.outcome ? undefined : outcome,
        n: count,
        q: question,
        w: answer,
        x,
        y,
        p: tapMs,
        i: network,
        s: subject,
        g: guest,
      };
      if (Object.values(more).some((value) => value !== undefined)) stored.push(more);
      return stored;
    },
  );
  return JSON.stringify({ t, k, e } satisfies Chunk);
}

export function parseChunk(json: string): ActivityEntry[] {
  const chunk = JSON.parse(json) as Chunk | NamedChunk;
  const { t, k, e } = 't' in chunk ? chunk : withoutNames(chunk);
  return e.map(([at, action, key, robot, ms, { v, o, n, q, w, x, y, p, i, s, g } = {}]) => ({
    at: t + at,
    via: v ?? usual.via,
    action,
    outcome: o ?? usual.outcome,
    ...(key === 0 ? {} : { key: { id: k[2 * key - 2] ?? '', name: k[2 * key - 1] ?? '' } }),
    ...(robot === '' ? {} : { robot }),
    ...(n === undefined ? {} : { count: n }),
    ...(ms === -1 ? {} : { ms }),
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

function withoutNames({ k = {}, e }: NamedChunk): Chunk {
  const ids = Object.keys(k);
  return {
    t: 0,
    k: ids.flatMap((id) => [id, k[id]!]),
    e: e.map(({ t, a, k: key, r, m, ...more }) => [t, a, key === undefined ? 0 : ids.indexOf(key) + 1, r ?? '', m ?? -1, more]),
  };
}
