/** Reads what the scripts of waits publish and store about the end of a wait. */
import type { Armed, WaitOutcome } from '@perch/schema';
import { movingMaxMs } from '../instances/instances.js';
import type { Forms } from '../versions/forms.js';

/** The stored change that a message reports; `robotAway` as in `StoredWait`. */
export type WaitNews = { armed: Armed } | { outcome: WaitOutcome; robotAway: boolean };

/** Returns null for what this release cannot read. */
export function newsOf(forms: Forms, text: string): WaitNews | null {
  const { armed, outcome, opened_at: openedAt = 0, ended } = parsedNews(text);
  if (armed !== undefined) return forms.fits('wait_armed', armed) && typeof armed.deadline === 'number' ? { armed } : null;
  if (outcome === undefined || typeof ended !== 'string' || !forms.fits('wait_outcome', outcome)) return null;
  return { outcome, robotAway: wasAway(openedAt, ended) };
}

function parsedNews(text: string): { armed?: Armed; outcome?: WaitOutcome; opened_at?: number; ended?: string } {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

/** @param ended by wait-settle.lua: the wait's end, the lease's state, since and back_at, and '1' when a gateway found the robot away */
export function wasAway(openedAt: number, ended: string): boolean {
  const [endedAt, state, since, backAt, foundAway] = ended.split(' ');
  if (foundAway === '1' || state === 'away' || Number(backAt) > openedAt) return true;
  return state === 'moving' && Number(endedAt) - Number(since) > movingMaxMs;
}
