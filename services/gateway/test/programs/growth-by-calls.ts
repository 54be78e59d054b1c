/** Prints the maximum growth of the old generation over 10,000 calls, MB. Runs in its own process, since other tests would grow it too. */
import { getHeapSpaceStatistics } from 'node:v8';
import { Replies } from '../../src/robots/replies.js';

const inFlight = 16;
const calls = 10_000;

const replies = new Replies('gw-test');
const pending: string[] = [];

function expect(): void {
  const id = replies.newId();
  pending.push(id);
  // Represents the request that the call belongs to.
  const request = Array.from({ length: 1000 }, () => 1.5);
  void replies.expect(id, 60_000, { everyMs: 60_000, check: () => void request.length });
}

function answer(): void {
  replies.settle(pending.shift()!, { t: 'late' });
}

function oldMb(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')!.space_used_size / 2 ** 20;
}

for (let i = 0; i < inFlight; i += 1) expect();
// Promotes the map's table to the old generation.
for (let i = 0; i < 20_000; i += 1) Array.from({ length: 200 }, () => ({}));
const before = oldMb();
let most = 0;
for (let i = 0; i < calls; i += 1) {
  answer();
  expect();
  if (i % 200 === 0) most = Math.max(most, oldMb() - before);
  await Promise.resolve();
}
while (pending.length > 0) answer();
process.stdout.write(most.toFixed(1));
