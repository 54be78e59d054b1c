import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@perch/testkit';
import { GatewayUnderTest, type Owner } from '../gateway-under-test.js';
import { postMessage } from './mcp-requests.js';

describe('notifications/cancelled at /mcp', () => {
  let system: GatewayUnderTest;
  let owner: Owner;
  afterEach(() => system.stop());

  async function start(trustedProxies: number): Promise<void> {
    system = await GatewayUnderTest.start({ trustedProxies });
    owner = await system.ownerOnline();
  }

  const post = (message: object, from: string): Promise<Response> => postMessage(system, owner, message, { headers: { 'x-forwarded-for': from } });

  /** Starts a poll that waits for 3 s and cancels it repeatedly from an address. @returns whether the poll got a result */
  async function answeredDespite(called: string, cancelled: string): Promise<boolean> {
    const call = post({ id: 7, method: 'tools/call', params: { name: 'robot_events', arguments: { names: ['tag'], seconds: 3 } } }, called);
    const text = call.then((response) => response.text());
    const cancelAgain = async (): Promise<null> => {
      await post({ method: 'notifications/cancelled', params: { requestId: 7 } }, cancelled);
      await sleep(100);
      return null;
    };
    let answer: string | null = null;
    while (answer === null) answer = await Promise.race([text, cancelAgain()]);
    return answer.includes('"result"');
  }

  it('ignores X-Forwarded-For when no proxy is trusted, since the client may have written it', async () => {
    await start(0);
    assert.equal(await answeredDespite('203.0.113.1', '203.0.113.2'), false);
  });

  it('counts a cancelled call with the code client_closed', async () => {
    await start(0);
    const requests = () => system.metrics.getSingleMetricAsString('perch_gateway_requests_total');
    assert.equal(await answeredDespite('203.0.113.1', '203.0.113.1'), false);
    await until(async () => /action="events",code="client_closed"\} 1$/m.test(await requests()));
  });

  it('distinguishes clients behind a trusted proxy by the address that the proxy appended', async () => {
    await start(1);
    assert.equal(await answeredDespite('203.0.113.1', '203.0.113.2'), true);
    assert.equal(await answeredDespite('203.0.113.1', '198.51.100.1, 203.0.113.1'), false);
  });
});
