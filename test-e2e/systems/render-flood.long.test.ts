/** One account sends pictures that are expensive to render as fast as its key allows. */
import assert from 'node:assert/strict';
import { costlyPng, until } from '@perch/testkit';
import { metric } from '../fixture/telemetry/metric.js';
import { questionShown, waitArmed, left } from '../fixture/robots/question.js';
import { useSystem, type Tenant } from '../fixture/system/system-under-test.js';

const floodMs = 12_000;
/** The one that is being drawn when the question arrives, and one whose answer is late. */
const drawnMeanwhileMax = 2;
/** Just below the rate limit of a key. */
const perSecond = 9.5;

/** Calls `show` with a new expensive picture 9.5 times a second until stopped; then all of its clients hang up. */
class Flood {
  readonly counts: Record<string, number> = {};
  readonly retryAfter = new Set<string | null>();
  readonly #hangUp = new AbortController();
  readonly #calls = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #sent = 0;

  constructor(tenant: Tenant, robot: string) {
    const mark = Date.now();
    this.#timer = setInterval(() => {
      const call = tenant
        .api()
        .act(robot, 'show', { image: costlyPng(`${mark} ${this.#sent++}`) }, { signal: this.#hangUp.signal })
        .then(
          ({ status, body, headers }) => {
            const how = status === 200 ? '200' : `${status} ${body.code}`;
            this.counts[how] = (this.counts[how] ?? 0) + 1;
            if (body.code === 'busy') this.retryAfter.add(headers.get('retry-after'));
          },
          () => {},
        )
        .finally(() => this.#calls.delete(call));
      this.#calls.add(call);
    }, 1000 / perSecond);
  }

  get drawn(): number {
    return this.counts['200'] ?? 0;
  }

  get sent(): number {
    return this.#sent;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#hangUp.abort();
    await Promise.all(this.#calls);
  }
}

describe('a flood of expensive pictures by one account (1 gateway, 1 robot-link, 1 renderer)', () => {
  const system = useSystem({ gateways: 1, links: 1, renderers: 1 });

  it('a flood of expensive pictures leaves new questions of another account answered and shown before the pictures that wait, and leaves nothing behind', async () => {
    const [attacker, other] = [await system.tenant(), await system.tenant()];
    const [target, { id, robot }] = [await attacker.robot({ instant: true }), await other.robot({ instant: true })];
    const { commands } = system.store.connections;
    const drawnMeanwhile: number[] = [];
    const askOnce = async (question: string): Promise<void> => {
      const before = robot.screen.question?.id;
      const call = other.api().act(id, 'ask', { question, answers: ['Yes', 'No'], timeout_s: 100 });
      const failed = call.then(({ status, body }) => {
        if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      });
      await Promise.race([questionShown(robot, before), failed]);
      await waitArmed(system, id, robot);
      await robot.tap(...left);
      const { status, body } = await call;
      assert.deepEqual([status, body.answer], [200, 'Yes'], JSON.stringify(body));
    };
    await askOnce('Warm?');

    const flood = new Flood(attacker, target.id);
    const endsAt = performance.now() + floodMs;
    for (let i = 0; performance.now() < endsAt; i++) {
      const drawnBefore = flood.drawn;
      await askOnce(`Question ${i} of ${endsAt}?`);
      drawnMeanwhile.push(flood.drawn - drawnBefore);
      // On a fast machine questions are answered at a higher rate than a key has; the flood has a lower one.
      const { sent } = flood;
      await until(() => flood.sent > sent);
    }
    const stopped = flood.stop();
    const endedAt = performance.now();

    const remains = async (): Promise<string[]> => {
      const { scenes, uploads } = await system.store.jobs.waiting();
      const active = (await Promise.all(['render', 'render-uploads'].map((queue) => commands.llen(`perch:{jobs}:${queue}:active`)))).reduce(
        (sum, count) => sum + count,
        0,
      );
      const keys = [
        ...(await commands.keys(`perch:{${attacker.account}}:upload:*`)),
        ...(await commands.keys(`perch:{jobs}:render-demand:${attacker.account}`)),
        ...(await commands.keys(`perch:{jobs}:render*:de:${attacker.account}:*`)),
      ];
      return [...keys, ...(scenes + uploads > 0 ? [`${scenes + uploads} waiting jobs`] : []), ...(active > 0 ? [`${active} running jobs`] : [])];
    };
    await until(async () => (await remains()).length === 0, { everyMs: 20, what: 'nothing of the flood to be left' });
    const goneMs = performance.now() - endedAt;
    await stopped;

    const most = Math.max(...drawnMeanwhile);
    const summary = `${drawnMeanwhile.length} questions; flood of ${flood.sent}: ${JSON.stringify(flood.counts)}; at most ${most} pictures of it drawn during one question, gone after ${goneMs.toFixed(0)} ms`;
    assert.equal(flood.counts['400 bad_picture'], undefined, summary);
    assert.ok(most <= drawnMeanwhileMax, summary);
    assert.ok((flood.counts['503 busy'] ?? 0) > 0, summary);
    assert.deepEqual([...flood.retryAfter], ['1']);
    const admin = system.cluster.gateways[0]!.admin;
    assert.ok((await metric(admin, 'perch_gateway_renders_busy_total')) > 0);
    assert.equal(await metric(system.cluster.renderers[0]!.admin, 'perch_render_waiting_jobs'), 0);
    await askOnce('And after?');
  });
});
