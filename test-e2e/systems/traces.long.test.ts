/** Traces of the built services, from the traceparent of a client to the spans that a collector receives. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { privateRedis, until } from '@perch/testkit';
import { waitArmed, left } from '../fixture/robots/question.js';
import { WebhookReceiver } from '../fixture/clients/webhook-receiver.js';
import { useSystem } from '../fixture/system/system-under-test.js';
import { TraceCollector, type CollectedSpan } from '../fixture/telemetry/trace-collector.js';

interface Caller {
  traceId: string;
  spanId: string;
  headers: { traceparent: string };
}

function caller(flags: '00' | '01'): Caller {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-${flags}` } };
}

function only(spans: readonly CollectedSpan[], name: string, fits: (span: CollectedSpan) => boolean = () => true): CollectedSpan {
  const found = spans.filter((span) => span.name === name && fits(span));
  assert.equal(found.length, 1, `${name} in ${JSON.stringify(spans.map((span) => [span.service, span.name]))}`);
  return found[0]!;
}

function ancestry(spans: readonly CollectedSpan[], span: CollectedSpan, root: string): string[] {
  const path: string[] = [];
  for (let at: CollectedSpan | undefined = span; at !== undefined; at = spans.find(({ spanId }) => spanId === at!.parentSpanId)) {
    path.push(`${at.service.replace('perch-', '')}: ${at.name}`);
    if (at.parentSpanId === root) path.push('client');
  }
  return path;
}

describe('traces (2 gateways, 2 robot-links, 2 renderers, 1 webhooks)', () => {
  let collector: TraceCollector;
  let receiver: WebhookReceiver;
  const lines: string[] = [];
  const hidden = `A text that nobody but the robot gets ${randomUUID()}`;
  const keys: string[] = [];

  before(async () => {
    collector = await TraceCollector.open();
    receiver = await WebhookReceiver.open();
  });
  const system = useSystem({ gateways: 2, links: 2, renderers: 2 }, async () => ({
    redis: await privateRedis(),
    env: {
      ...process.env,
      PERCH_LOG_LEVEL: 'debug',
      PERCH_TRACES_ENDPOINT: collector.url,
      PERCH_TRACES_HEADERS: 'x-collector-key=open%20sesame',
      // Only calls whose callers request a trace; all webhook deliveries, which have no caller.
      PERCH_TRACES_SAMPLE: '0',
      PERCH_TRACES_REQUESTED_PER_S: '1000',
      PERCH_WEBHOOK_ALLOW_PRIVATE: 'true',
    },
    log: (line) => lines.push(line),
  }));
  before(async () => {
    await system.cluster.add('webhooks', { PERCH_TRACES_SAMPLE: '1' });
  });
  after(async () => {
    await receiver?.close();
    await collector?.close();
  });

  it('a trace leads from the client through gateway, renderer and robot-link to the ack of a shown picture', async () => {
    const tenant = await system.tenant();
    keys.push(tenant.key);
    const { id } = await tenant.robot({ instant: true }, 1);
    const { traceId, spanId, headers } = caller('01');
    const { status } = await tenant.api(1).act(id, 'show', { text: hidden }, { headers });
    assert.equal(status, 200);
    const spans = await collector.trace(traceId, 'POST /v1/robots/{robot}/show', 'render draw', 'command screen.show', 'robot');

    const command = only(spans, 'command screen.show');
    const chain = ['robot-link: command screen.show', 'gateway: send screen.show', 'gateway: POST /v1/robots/{robot}/show', 'client'];
    assert.deepEqual(ancestry(spans, only(spans, 'robot'), spanId), ['robot-link: robot', ...chain]);
    assert.deepEqual(ancestry(spans, only(spans, 'queued'), spanId), ['robot-link: queued', ...chain]);
    const render = only(spans, 'render draw');
    const above = ['renderer: render draw', 'gateway: obtain picture', 'gateway: POST /v1/robots/{robot}/show', 'client'];
    assert.deepEqual(ancestry(spans, render, spanId), above);

    const root = only(spans, 'POST /v1/robots/{robot}/show');
    assert.deepEqual(
      [root.attributes['http.request.method'], root.attributes['http.route'], root.attributes['url.path'], root.attributes['perch.code']],
      ['POST', '/v1/robots/{robot}/show', `/v1/robots/${id}/show`, 'ok'],
    );
    assert.deepEqual([root.attributes['perch.action'], root.attributes['perch.robot'], command.attributes['perch.robot']], ['show', id, id]);
    assert.deepEqual(only(spans, 'robot').events, ['picture sent']);
    assert.equal(new Set(spans.map(({ instance }) => instance)).size, 3, 'a gateway, a renderer and a robot-link');
    assert.ok(collector.headers.every((sent) => sent['x-collector-key'] === 'open sesame'));
  });

  it('a call that shows a picture of another call links to the render of that one', async () => {
    const tenant = await system.tenant();
    const [first, second] = [await tenant.robot({ instant: true }, 0), await tenant.robot({ instant: true }, 1)];
    const text = `shared ${randomUUID()}`;
    const callers = [caller('01'), caller('01')];
    const answers = await Promise.all([
      tenant.api(0).act(first.id, 'show', { text }, { headers: callers[0]!.headers }),
      tenant.api(1).act(second.id, 'show', { text }, { headers: callers[1]!.headers }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    const traces = await Promise.all(callers.map(({ traceId }) => collector.trace(traceId, 'obtain picture', 'POST /v1/robots/{robot}/show')));
    const { traceId, spanId } = await until(() =>
      collector.spans.find(({ name, traceId: of }) => name === 'render draw' && callers.some((each) => each.traceId === of)),
    );
    const other = traces.flat().find((span) => span.name === 'obtain picture' && span.traceId !== traceId)!;
    assert.deepEqual(
      other.links.map((link) => [link.traceId, link.spanId]),
      [[traceId, spanId]],
    );
  });

  it('a trace leads from a question through its robot-link to the tap that answers it', async () => {
    const tenant = await system.tenant();
    const { id, robot } = await tenant.robot({ instant: true }, 1);
    const { traceId, spanId, headers } = caller('01');
    const call = tenant.api(0).act(id, 'ask', { question: hidden, answers: ['Yes', 'No'], timeout_s: 20 }, { headers });
    await waitArmed(system, id, robot);
    await robot.tap(...left);
    const { body } = await call;
    assert.equal(body.answer, 'Yes');
    const spans = await collector.trace(traceId, 'POST /v1/robots/{robot}/ask', 'show', 'render draw');
    const onLink = (span: CollectedSpan): boolean => span.service === 'perch-robot-link';
    const wait = only(spans, 'wait ask', onLink);
    const above = ['robot-link: wait ask', 'gateway: wait ask', 'gateway: POST /v1/robots/{robot}/ask', 'client'];
    assert.deepEqual(ancestry(spans, wait, spanId), above);
    assert.deepEqual(ancestry(spans, only(spans, 'show'), spanId), ['robot-link: show', ...above]);
    assert.deepEqual(wait.events, ['armed', 'tapped']);
    assert.equal(wait.attributes['perch.outcome'], 'answered');
    assert.equal(only(spans, 'wait ask', (span) => !onLink(span)).attributes['perch.outcome'], 'answered');
  });

  it('the trace of a tool call begins with the traceparent of its request', async () => {
    const tenant = await system.tenant();
    const { id } = await tenant.robot({ instant: true });
    const { traceId, spanId, headers } = caller('01');
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'robot_face', arguments: { robot: id, emotion: 'happy' } } };
    const more = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
    const { status } = await tenant.api().send('POST', '/mcp', JSON.stringify(message), { headers: { ...headers, ...more } });
    assert.equal(status, 200);
    const spans = await collector.trace(traceId, 'POST /mcp', 'command face');
    const above = ['robot-link: command face', 'gateway: send face', 'gateway: POST /mcp', 'client'];
    assert.deepEqual(ancestry(spans, only(spans, 'command face'), spanId), above);
    assert.equal(only(spans, 'POST /mcp').attributes['perch.action'], 'face');
  });

  it('each message to a webhook has its own trace, and its receiver gets no traceparent', async () => {
    const tenant = await system.tenant();
    const hook = await tenant
      .api()
      .send('POST', '/v1/webhooks', JSON.stringify({ url: receiver.url('/hook') }), { headers: { 'content-type': 'application/json' } });
    receiver.secrets.set('/hook', hook.body.webhook.secret ?? hook.body.secret);
    await tenant.api().send('POST', `/v1/webhooks/${hook.body.webhook.id}/test`, undefined);
    const span = await until(() => collector.spans.find(({ attributes }) => attributes['perch.webhook'] === hook.body.webhook.id));
    assert.deepEqual([span.name, span.service, span.parentSpanId], ['deliver to webhook', 'perch-webhooks', '']);
    assert.equal(String(span.attributes['http.response.status_code']), '204');
  });

  it('a call whose caller does not sample its trace is not recorded, and the log has the trace id all the same', async () => {
    const tenant = await system.tenant();
    const { id } = await tenant.robot({ instant: true });
    const [unsampled, sampled] = [caller('00'), caller('01')];
    assert.equal((await tenant.api().act(id, 'face', { emotion: 'sad' }, { headers: unsampled.headers })).status, 200);
    const forged = `00-${'0'.repeat(32)}-${unsampled.spanId}-01`;
    assert.equal((await tenant.api().act(id, 'face', { emotion: 'sad' }, { headers: { traceparent: forged } })).status, 200);
    assert.equal((await tenant.api().act(id, 'face', { emotion: 'sad' }, { headers: sampled.headers })).status, 200);
    await collector.trace(sampled.traceId, 'command face', 'POST /v1/robots/{robot}/face');
    assert.deepEqual(
      collector.spans.filter(({ traceId, parentSpanId }) => traceId === unsampled.traceId || parentSpanId === unsampled.spanId),
      [],
    );
    const ended = (traceId: string): string[] => lines.filter((line) => line.includes(`"trace_id":"${traceId}"`)).map((line) => JSON.parse(line).msg);
    assert.deepEqual(await until(() => (ended(unsampled.traceId).length > 0 ? ended(unsampled.traceId) : null)), ['request ended']);
    assert.deepEqual((await until(() => (ended(sampled.traceId).length > 1 ? ended(sampled.traceId) : null))).toSorted(), [
      'command ended',
      'request ended',
    ]);
  });

  it('traces contain no key, no text of people and no requests of the exporter itself', () => {
    const all = collector.texts.join();
    for (const secret of [hidden, ...keys]) assert.ok(!all.includes(secret), secret);
    assert.doesNotMatch(all, /(pk|rt|ps)_[\w-]{20,}/);
  });
});

describe('an unreachable collector (1 gateway, 1 robot-link, 1 renderer)', () => {
  const lines: string[] = [];
  const system = useSystem({ gateways: 1, links: 1, renderers: 1 }, async () => {
    const gone = await TraceCollector.open();
    const { url } = gone;
    await gone.close();
    const env = { ...process.env, PERCH_LOG_LEVEL: 'warn', PERCH_TRACES_ENDPOINT: url, PERCH_TRACES_SAMPLE: '1' };
    return { env, log: (line) => lines.push(line) };
  });

  it('an unreachable collector delays no call, is logged, and does not delay the shutdown of a service', async () => {
    const tenant = await system.tenant();
    const { id } = await tenant.robot({ instant: true });
    for (let i = 0; i < 5; i++) assert.equal((await tenant.api().act(id, 'face', { emotion: 'happy' })).status, 200);
    await until(() => lines.some((line) => line.includes('traces could not be sent')));
    await system.clear();
    await system.cluster.stop();
    assert.ok(lines.every((line) => !line.includes('took too long')));
  });
});
