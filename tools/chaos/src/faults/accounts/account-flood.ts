/** Another account sends pictures that are costly to draw as fast as its key allows; the other accounts must be answered as before. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { request } from 'node:http';
import { costlyPng } from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import { defineFault } from '../define-fault.js';

/** Just below the rate limit of a key. */
const everyMs = 1000 / 9.5;
const bodyOf = (mark: string): string => JSON.stringify({ image: costlyPng(mark) });

export const accountFlood = defineFault('account-flood', 'both', async ({ system, store }, random, undo) => {
  const { account } = await store.accounts.create({ email: `${randomUUID()}@example.com` });
  const { apiKey } = await store.apiKeys.create({ account, name: 'flood' });
  const { robot: id, token } = await store.robots.create({ account });
  const robot = new VirtualRobot({ url: random.pick(system.links).url, token, instant: true });
  undo.add(() => robot.stop());
  await robot.start();
  const hangUp = new AbortController();
  setMaxListeners(0, hangUp.signal);
  undo.add(() => hangUp.abort());
  let sent = 0;
  const timer = setInterval(() => {
    const { url } = random.pick(system.gateways);
    show(`${url}/v1/robots/${id}/show`, apiKey, bodyOf(`${id} ${sent++}`), hangUp.signal);
  }, everyMs);
  undo.add(() => clearInterval(timer));
  return { what: `${account} shows a 4096x4096 PNG every ${everyMs.toFixed(0)} ms`, holdMs: random.between(3000, 6000) };
});

/** Its answer is ignored: the guarantees are about the other accounts. */
function show(url: string, apiKey: string, body: string, signal: AbortSignal): void {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  request(url, { method: 'POST', headers, agent: false, signal })
    .on('response', (response) => response.on('error', () => undefined).resume())
    .on('error', () => undefined)
    .end(body);
}
