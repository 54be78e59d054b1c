/** Two stand-ins for gateways behind a real HAProxy with deploy/haproxy/perch.cfg, and a real Prometheus that evaluates rules/balancer.yml. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  needsHaproxy,
  needsPrometheus,
  startLoadBalancer,
  startPrometheus,
  until,
  writeShortenedRules,
  type LoadBalancer,
  type PrometheusServer,
} from '@perch/testkit';

/** Answers /fails with 503, breaks the connection of /breaks without an answer, and every other path with 200. */
async function standIn(): Promise<{ address: string; stop(): Promise<void> }> {
  const server = createServer((asked, response) => {
    if (asked.url === '/breaks') asked.socket.destroy();
    else response.writeHead(asked.url === '/fails' ? 503 : 200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

describe('the rule perch:balancer_failed:rate5m with a real HAProxy and a real Prometheus', () => {
  let gateways: Awaited<ReturnType<typeof standIn>>[] = [];
  let balancer: LoadBalancer | undefined;
  let prometheus: PrometheusServer | undefined;
  const folder = mkdtempSync(join(tmpdir(), 'perch-balancer-rules-'));

  before(async function () {
    needsHaproxy(this);
    needsPrometheus(this);
    gateways = [await standIn(), await standIn()];
    const [one, two] = gateways.map(({ address }) => ({ address, admin: address }));
    balancer = await startLoadBalancer({ gateways: [one!, two!], links: [one!, two!] });
    await balancer.untilUp('gateways', 2);
    const rules = writeShortenedRules(folder, { rangesBy: 60, forBy: 60 }).filter((file) => file.endsWith('/balancer.yml'));
    assert.equal(rules.length, 1);
    prometheus = await startPrometheus({ jobs: [{ name: 'haproxy', targets: [{ url: balancer.metrics }] }], rules, intervalS: 1 });
  });
  after(async () => {
    await prometheus?.stop();
    await balancer?.stop();
    for (const gateway of gateways) await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const failed = async (): Promise<number> => Number((await prometheus!.query('perch:balancer_failed:rate5m'))[0]?.values[0]![1]);
  const answered = async (): Promise<number> =>
    Number((await prometheus!.query('sum(haproxy_backend_http_responses_total{proxy=~"gateways.*", code="5xx"})'))[0]?.values[0]![1]);
  const ask = async (path: string): Promise<number> => {
    // A connection of its own: HAProxy closes a connection that was used before without an answer, and counts nothing, if its server ends.
    const asked = request(`${balancer!.programs}${path}`, { agent: false });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response.statusCode!;
  };
  const untilFailed = (wanted: (rate: number) => boolean, what: string): Promise<boolean> =>
    until(async () => wanted(await failed()), { timeoutMs: 30_000, everyMs: 100, what });

  it('is 0 from the first evaluations on, and for errors that a gateway itself answered', async () => {
    await untilFailed((rate) => rate === 0, 'the rate to be 0 without any call');
    for (let i = 0; i < 10; i++) assert.equal(await ask('/fails'), 503);
    const before = performance.now();
    await until(async () => (await answered()) === 10, { timeoutMs: 30_000, everyMs: 100, what: 'Prometheus to have the ten errors' });
    // At least one evaluation reads all of them.
    do assert.equal(await failed(), 0);
    while (performance.now() < before + 4000);
  });

  it('counts calls whose gateway ended before it answered', async () => {
    for (let i = 0; i < 10; i++) assert.equal(await ask('/breaks'), 503);
    await untilFailed((rate) => rate > 0, 'the rate of broken calls');
    await untilFailed((rate) => rate === 0, 'the rate to end');
  });

  it('counts calls that reach no gateway because there is none', async () => {
    for (const gateway of gateways) await gateway.stop();
    const ending = performance.now() + 30_000;
    while (!((await failed()) > 0)) {
      assert.equal(await ask('/v1/robots'), 503);
      assert.ok(performance.now() < ending, 'the rate of calls without a gateway');
    }
  });
});
