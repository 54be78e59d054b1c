/** Nine accounts send new photographs, each within its own limits, until they have filled the storage that all accounts share. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { pngOf, privateRedis, until } from '@perch/testkit';
import { createCanvas } from 'canvas';
import type { Answer } from '../fixture/clients/api.js';
import { questionShown, waitArmed, left } from '../fixture/robots/question.js';
import { useSystem, type Tenant } from '../fixture/system/system-under-test.js';

const floodingAccounts = 9;
const inFlightEach = 3;

/** A photograph of about 700 KB that does not compress. */
const photograph = (): string => pngOf(480, 480, deflateSync(rows(480, 480 * 3), { level: 0 })).toString('base64');

function rows(count: number, length: number): Buffer {
  const bytes = randomBytes(count * (length + 1));
  for (let row = 0; row < count; row++) bytes[row * (length + 1)] = 0;
  return bytes;
}

/** Repeats a call that was refused because the machine had no time for it, which the flood does not cause: the flood fills storage. */
async function unlessBusy(call: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await call();
    if (answer.body.code !== 'busy' || tries === 20) return answer;
    await setTimeoutAsync(1000 * Number(answer.headers.get('retry-after') ?? 1));
  }
}

class Flood {
  readonly counts: Record<string, number> = {};
  readonly refusals = new Set<string>();
  readonly #hangUp = new AbortController();
  readonly #loops: Promise<void>[];

  constructor(tenant: Tenant, robot: string) {
    this.#loops = Array.from({ length: inFlightEach }, () => this.#run(tenant, robot));
  }

  async stop(): Promise<void> {
    this.#hangUp.abort();
    await Promise.all(this.#loops);
  }

  async #run(tenant: Tenant, robot: string): Promise<void> {
    while (!this.#hangUp.signal.aborted) {
      try {
        const { status, body } = await tenant.api().act(robot, 'show', { image: photograph() }, { signal: this.#hangUp.signal });
        const how = status === 200 ? '200' : `${status} ${body.code}`;
        this.counts[how] = (this.counts[how] ?? 0) + 1;
        if (body.code === 'storage_full') this.refusals.add(body.error);
      } catch (error) {
        if (!this.#hangUp.signal.aborted) throw error;
      }
    }
  }
}

describe('a flood of new photographs by nine accounts (1 gateway, 1 robot-link, 1 renderer, PERCH_MEDIA_MB=16)', function () {
  this.timeout(180_000);
  const env = { PERCH_MEDIA_MB: '16', PERCH_ACCOUNT_MEDIA_MB: '4', PERCH_RENDER_UPLOAD_CONCURRENCY: '2' };
  const system = useSystem({ gateways: 1, links: 1, renderers: 1, env }, async () => ({ redis: await privateRedis() }));

  it("a flood of photographs gets 503 storage_full with the limit, while another account's new cards and questions get 200", async () => {
    const other = await system.tenant();
    const { id, robot } = await other.robot({ instant: true });
    const floods = await Promise.all(
      Array.from({ length: floodingAccounts }, async () => {
        const tenant = await system.tenant();
        return new Flood(tenant, (await tenant.robot({ instant: true })).id);
      }),
    );
    const summary = (): string => JSON.stringify(floods.map((flood) => flood.counts));
    try {
      await until(() => floods.filter(({ refusals }) => [...refusals].some((error) => error.includes('16 MB'))).length >= 3, {
        timeoutMs: 90_000,
        what: 'the flood to reach the bound of all accounts',
      });
      for (let i = 0; i < 8; i++) {
        const text = `Card ${i} ${randomUUID()}`;
        const shown = await unlessBusy(() => other.api().act(id, 'show', { text }));
        assert.equal(shown.status, 200, `${JSON.stringify(shown.body)} ${summary()}`);
        const before = robot.screen.question?.id;
        const question = `Question ${i} ${randomUUID()}?`;
        const call = unlessBusy(() => other.api().act(id, 'ask', { question, answers: ['Yes', 'No'], timeout_s: 100 }));
        const refused = call.then(({ status, body }) => {
          if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)} ${summary()}`);
        });
        await Promise.race([questionShown(robot, before), refused]);
        await waitArmed(system, id, robot);
        await robot.tap(...left);
        const { status, body } = await call;
        assert.deepEqual([status, body.answer], [200, 'Yes'], JSON.stringify(body));
      }
      const canvas = createCanvas(320, 240);
      canvas.getContext('2d').fillText(randomUUID(), 10, 100);
      const image = canvas.toBuffer('image/png').toString('base64');
      const picture = await unlessBusy(() => other.api().act(id, 'show', { image }));
      assert.equal(picture.status, 200, `${JSON.stringify(picture.body)} ${summary()}`);
    } finally {
      await Promise.all(floods.map((flood) => flood.stop()));
    }
    // A busy machine may have no time for a call of the flood; that is a 503, too.
    for (const flood of floods)
      for (const how of Object.keys(flood.counts)) assert.ok(how === '200' || how === '429 rate_limited' || how.startsWith('503 '), summary());
    const refusals = new Set(floods.flatMap((flood) => [...flood.refusals]));
    for (const error of refusals) assert.match(error, /almost reached 16 MB, and this account holds its fair part|account's .* reached 4 MB/);
  });
});
