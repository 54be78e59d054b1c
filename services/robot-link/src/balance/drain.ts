/** Moves an instance's robots elsewhere before it ends, spread over time, so that they do not all dial the next instance at once. */
import type { Session } from '../session/session.js';

/** Average, ms; less if there are so many robots that the limits below apply. */
const paceMs = 5;
/** Share of the drain time in which hand-overs start; the rest is for what robots still have in flight. */
const spreadPart = 0.5;
const spreadMsMax = 30_000;

/** Resolves when all sessions have ended. @param withinMs after which work in flight is cut off */
export async function drainSessions(sessions: readonly Session[], withinMs: number): Promise<void> {
  if (sessions.length === 0) return;
  let cut: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    cut = setTimeout(resolve, withinMs);
  });
  const spreadMs = Math.min(spreadMsMax, withinMs * spreadPart, sessions.length * paceMs);
  const startedAt = performance.now();
  const ending: Promise<void>[] = [];
  try {
    for (const [i, session] of sessions.entries()) {
      const waitMs = startedAt + (spreadMs * i) / sessions.length - performance.now();
      if (waitMs >= 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
      ending.push(session.handOver('draining', tooLate));
    }
    await Promise.all(ending);
  } finally {
    clearTimeout(cut);
  }
}
