import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const lookMs = 3000;
/** Idle share of all processors together. */
const idleShareMin = 0.4;

let turn = Promise.resolve();

/**
 * Resolves when processors have idled for 3 s, or when `isOver` returns true. Callers take turns: the next one looks when what the one before started
 * computes.
 */
export function idleProcessors(isOver) {
  turn = turn.then(async () => {
    while (!isOver() && (await idleShare()) < idleShareMin);
  });
  return turn;
}

async function idleShare() {
  const before = processorTimes();
  await sleep(lookMs);
  const after = processorTimes();
  return (after.idle - before.idle) / Math.max(1, after.all - before.all);
}

function processorTimes() {
  const times = cpus().map(({ times: each }) => each);
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((each) => Object.values(each))) };
}
