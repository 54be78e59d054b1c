/** Bounds, hostile URLs, other accounts' ids, unknown deliveries. Nothing may connect to this machine, and an account's limit holds. */
import { setTimeout as pause } from 'node:timers/promises';
import { limits } from '@perch/schema';
import fc from 'fast-check';
import { drive, type Problem } from '../drive.js';
import { withAt } from '../generate/json.js';
import { arbitraryOf, bodyOf, shuffled, subjectOf, systematic, type Sent, type Subject } from '../generate/subjects.js';
import { hostileUrls, type Urls } from '../generate/urls.js';
import { HttpClient } from '../http/http-client.js';
import { answeredWithinMs, envelopeProblem, type Answer } from '../answer-problems.js';
import { componentCompiler, examplesAt, servedOpenApi, type OpenApi, type ServedAction } from '../served.js';
import { secret } from '../fuzz-system.js';
import { LoopbackListener } from '../webhooks/loopback-listener.js';
import { deliveryCalls, unknownWebhookCalls, type OpenCall } from '../webhooks/unknown-webhook-calls.js';
import { verdictOfWebhook, webhookProblem } from '../webhooks/verdict.js';
import type { Attack, Target } from './target.js';

export const webhooks: Target = { name: 'webhooks', group: 'webhooks', share: 0.05, attack: attackWebhooks };

/** Each call may hold one webhook, of 20 that an account may have. */
const inFlight = 8;
const { perAccount } = limits.webhooks;
const path = '/v1/webhooks';
const settleMs = 3000;

async function attackWebhooks(attack: Attack): Promise<null> {
  const { system, tally, seed, requests, log } = attack;
  const listener = await LoopbackListener.open();
  const urls = hostileUrls(listener.port);
  const openApi = await servedOpenApi(system.gateway(), system.keys[0]!);
  const subject = subjectIn(openApi, urls, system.robots[0]!.id);
  const compiled = componentCompiler(openApi);
  const fits = {
    webhook: compiled('WebhookAnswer'),
    made: compiled('WebhookMadeAnswer'),
    delivery: compiled('DeliveryAnswer'),
    deliveries: compiled('DeliveriesAnswer'),
  };
  const foreign = await system.store.webhooks.create(system.others.account, { url: `https://${secret}.invalid/` });
  const client = new HttpClient(system.gateway());
  const robots = new Set(system.robots.map(({ id }) => id));
  const unknownCalls = unknownWebhookCalls([system.robots[0]!.id, system.others.robots[0]!.id], foreign.id);
  const sents: SentCall[] = [...systematic([subject]), ...unknownCalls];
  log(`webhooks: ${requests}`);

  async function call(open: OpenCall): Promise<Answer> {
    const answer = (await client.call({ ...open, key: system.nextKey() }, null))!;
    const code = /"code":"(\w+)"/.exec(answer.text)?.[1];
    tally.sent('webhooks');
    tally.answered('webhooks', answer.status === 200 ? '200' : `${answer.status} ${code}`, answer.tookMs, `${open.method ?? 'POST'} ${open.path}`);
    return answer;
  }

  async function expectStatus(open: OpenCall, status: number, fit: ServedAction['answerFits'] | null = null): Promise<Problem | null> {
    const answer = await call(open);
    const wrong =
      owed(answer) ??
      (answer.status === status ? null : `status ${answer.status}, not ${status}`) ??
      (fit === null || fit(JSON.parse(answer.text)) ? null : `an answer that does not fit its schema: ${JSON.stringify(fit.errors?.[0])}`);
    return wrong === null ? null : asProblem(open, wrong, answer);
  }

  async function send(sent: SentCall): Promise<Problem | null> {
    if (!('subject' in sent)) return expectStatus(sent, 404);
    const { text, what } = bodyOf([subject], sent);
    const answer = await call({ path, body: text });
    const id = webhookIn(answer);
    try {
      const wrong = owed(answer) ?? webhookProblem(subject.served, verdictOfWebhook(subject.served, text, urls, robots), answer);
      if (wrong !== null) return asProblem({ path, body: text }, `${what}: ${wrong}`, answer);
      return id === null ? null : await live(id);
    } finally {
      if (id !== null) await call({ method: 'DELETE', path: `${path}/${id}` });
    }
  }

  async function live(id: string): Promise<Problem | null> {
    const at = `${path}/${id}`;
    const [unknown] = deliveryCalls(id, ['msg_test_0']);
    return (
      (await expectStatus({ method: 'GET', path: at }, 200, fits.webhook)) ??
      (await expectStatus({ method: 'PATCH', path: at, body: '{"names":["tap"],"paused":true}' }, 200, fits.webhook)) ??
      (await expectStatus({ method: 'PATCH', path: at, body: '{"__proto__":{"paused":true}}' }, 400)) ??
      (await expectStatus({ method: 'PATCH', path: at, body: '{"robots":["r-0000000000"]}' }, 400)) ??
      (await expectStatus({ path: `${at}/secret`, body: '{"overlap_s":604801}' }, 400)) ??
      (await expectStatus({ path: `${at}/secret`, body: '{"overlap_s":1}' }, 200, fits.made)) ??
      (await expectStatus({ path: `${at}/test` }, 200, fits.delivery)) ??
      (await expectStatus({ method: 'GET', path: `${at}/deliveries` }, 200, fits.deliveries)) ??
      (await expectStatus(unknown!, 404))
    );
  }

  async function boundProblem(): Promise<Problem | null> {
    // Ports other than 443 and 8443 would be rejected at once.
    const body = JSON.stringify({ url: 'https://localhost.localdomain:8443/' });
    const made = await Promise.all(Array.from({ length: perAccount + 5 }, () => call({ path, body })));
    const ids = made.map(webhookIn).filter((id) => id !== null);
    const refused = made.filter(({ status, text }) => status === 400 && text.includes('"field":"url"'));
    await Promise.all(ids.map((id) => call({ path: `${path}/${id}/test` })));
    // Deliveries are sent soon.
    await pause(settleMs);
    await Promise.all(ids.map((id) => call({ method: 'DELETE', path: `${path}/${id}` })));
    const left = await call({ method: 'GET', path });
    const wrong =
      ids.length !== perAccount || refused.length !== 5
        ? `${ids.length} webhooks were made at once, ${refused.length} refused for their url; an account may have ${perAccount}`
        : left.text.includes('"webhooks":[]')
          ? null
          : 'webhooks are left that were removed';
    return wrong === null ? null : asProblem({ path, body }, wrong, left);
  }

  try {
    const arbitrary = fc.oneof<fc.Arbitrary<SentCall>[]>(arbitraryOf([subject]), fc.constantFrom(...unknownCalls));
    await drive<SentCall>({ target: 'webhooks', arbitrary, first: shuffled(sents, seed), count: requests, seed, inFlight, send, tally });
    const violated = (problem: Problem): void => tally.violated({ target: 'webhooks', ...problem, seed, index: -1 });
    const overBound = await boundProblem();
    if (overBound !== null) violated(overBound);
    if (listener.connections > 0) violated({ what: `${listener.connections} connections to loopback`, request: '', answer: '' });
  } finally {
    await system.store.webhooks.remove(system.others.account, foreign.id);
    await client.close();
    await listener.close();
  }
  return null;
}

type SentCall = Sent | OpenCall;

function subjectIn(openApi: OpenApi, { probes }: Urls, robot: string): Subject {
  const compiled = componentCompiler(openApi);
  const served: ServedAction = {
    name: 'webhooks',
    args: openApi.components.schemas['WebhookArguments']!,
    examples: examplesAt(openApi, path),
    fits: compiled('WebhookArguments'),
    answerFits: compiled('WebhookMadeAnswer'),
    steps: null,
  };
  const { bases, ...subject } = subjectOf(served, { url: 'https://hook.invalid/', robots: [robot] });
  const addresses = probes.map(({ what, value }) => ({ what, change: (body: unknown) => withAt(body, ['url'], value) }));
  return { ...subject, bases: bases.map(({ body, mutants }, i) => ({ body, mutants: i === 0 ? [...mutants, ...addresses] : mutants })) };
}

function owed(answer: Answer): string | null {
  return envelopeProblem(answer, secret) ?? (answer.tookMs > answeredWithinMs ? `answered after ${Math.round(answer.tookMs)} ms` : null);
}

function webhookIn({ status, text }: Answer): string | null {
  return status === 200 ? (JSON.parse(text) as { webhook: { id: string } }).webhook.id : null;
}

function asProblem({ method = 'POST', path: to, body = '' }: OpenCall, what: string, { status, text }: Answer): Problem {
  return { what: `${method} ${to.slice(0, 100)}: ${what}`, request: `${method} ${to} ${body}`, answer: `${status} ${text}` };
}
