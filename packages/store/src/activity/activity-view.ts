import type { ActivityView, KeyUsageView } from '@perch/schema';
import type { NumberedEntry } from './activity.js';
import type { KeyUsage } from './usage.js';

export function activityViewOf(entry: NumberedEntry): ActivityView {
  const { seq, at, kind, via, key, robot, action, outcome, count, ms, question, answer, x, y, tapMs, network, subject, guest } = entry;
  return {
    seq,
    at: new Date(at).toISOString(),
    kind,
    via,
    key: key ?? null,
    robot: robot ?? null,
    action,
    outcome,
    count: count ?? 1,
    seconds: secondsOf(ms),
    question: question ?? null,
    answer: answer ?? null,
    x: x ?? null,
    y: y ?? null,
    tap_s: secondsOf(tapMs),
    network: network ?? null,
    subject: subject ?? null,
    guest: guest ?? null,
  };
}

/** @param key null: the web page, or keys that are counted together */
export function usageViewOf({ calls, refused, asked, answered, tapMs }: KeyUsage, key: KeyUsageView['key']): KeyUsageView {
  return {
    key,
    calls,
    refused,
    asked,
    answered,
    answer_rate: asked === 0 ? null : Math.round((answered / asked) * 1000) / 1000,
    median_tap_s: secondsOf(tapMs ?? undefined),
  };
}

function secondsOf(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms) / 1000;
}
