import type { ActivityEntry, UsageAnswer } from '@perch/client';

export const activityHeads = ['TIME', 'BY', 'ROBOT', 'ACTION', 'OUTCOME', 'SECONDS', 'DETAILS'] as const;
/** Widths while entries are followed, when later rows are not known. */
export const activityWidths = [24, 20, 18, 10, 12, 7] as const;

export function activityRow(entry: ActivityEntry): string[] {
  const { at, robot, action, outcome, seconds, count } = entry;
  return [
    at,
    byText(entry),
    robot ?? '-',
    action,
    count > 1 ? `${outcome} x${count}` : outcome,
    seconds === null ? '-' : seconds.toFixed(2),
    detailsText(entry),
  ];
}

function byText({ via, key }: ActivityEntry): string {
  if (via === 'page') return 'web page';
  if (via === 'operator') return 'operator';
  const name = key === null ? 'unknown key' : key.name || key.id;
  return via === 'agent' ? `${name} (agent)` : name;
}

function detailsText({ question, answer, tap_s: tapS, x, y, network, subject, guest }: ActivityEntry): string {
  const parts = [
    question === null ? null : `question=${JSON.stringify(question)}`,
    answer === null ? null : `answer=${JSON.stringify(answer)}`,
    x === null || y === null ? null : `at=${x},${y}`,
    tapS === null ? null : `tap_s=${tapS}`,
    subject === null ? null : `subject=${subject}`,
    guest === null ? null : `guest=${guest}`,
    network === null ? null : `network=${network}`,
  ];
  return parts.filter((part) => part !== null).join(' ');
}

export const usageHeads = ['DATE', 'KEY', 'CALLS', 'REFUSED', 'ASKED', 'ANSWERED', 'RATE', 'MEDIAN TAP'] as const;

export function usageRows(days: UsageAnswer['days']): string[][] {
  return days.flatMap(({ date, keys }) =>
    keys.map(({ key, calls, refused, asked, answered, answer_rate: rate, median_tap_s: tapS }) => [
      date,
      key === null ? 'web page and others' : key.name || key.id,
      String(calls),
      String(refused),
      String(asked),
      String(answered),
      rate === null ? '-' : `${Math.round(rate * 100)} %`,
      tapS === null ? '-' : `${tapS} s`,
    ]),
  );
}
