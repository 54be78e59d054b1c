import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { until } from '@perch/testkit';
import { useGateway, useOwner, type Answer } from './gateway-under-test.js';
import { callTool } from './mcp/mcp-requests.js';
import { Browser } from './console/browser.js';

describe('the metrics of a gateway', () => {
  const system = useGateway({}, { perTest: true });
  const owner = useOwner(system, null);

  async function counted(name: string): Promise<Record<string, number>> {
    const lines = (await system.metrics.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`) && !line.endsWith(' 0'));
    return Object.fromEntries(lines.map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]));
  }
  const requests = () => counted('perch_gateway_requests_total');
  const tool = (name: string, args: object): Promise<Answer> => callTool(system, owner, name, args);

  it('the metrics count a request under its error code, even where codes share a status', async () => {
    await system.act(owner, 'face', { emotion: 'happy' });
    await system.act(owner, 'face', { emotion: 'odd' });
    await system.act({ ...owner, apiKey: 'pk_wrong' }, 'face', { emotion: 'happy' });
    await system.act(owner, 'state');
    await system.ask('GET', '/v1/nothing', { apiKey: owner.apiKey });
    const expected = {
      '{action="face",code="robot_offline"}': 1,
      '{action="face",code="bad_argument"}': 1,
      '{action="face",code="unauthorized"}': 1,
      '{action="state",code="ok"}': 1,
      '{action="unknown",code="not_found"}': 1,
    };
    await until(async () => Object.keys(await requests()).length === Object.keys(expected).length);
    assert.deepEqual(await requests(), expected);
  });

  it('the metrics count a tool call under its action and code, as over HTTP', async () => {
    assert.equal((await tool('robot_face', { emotion: 'happy' })).status, 200);
    assert.equal((await tool('robot_list', {})).status, 200);
    await until(async () => Object.keys(await requests()).length === 2);
    assert.deepEqual(await requests(), { '{action="face",code="robot_offline"}': 1, '{action="robots",code="ok"}': 1 });
  });

  it('the metrics count rejected sign-ins by reason', async () => {
    const browser = new Browser(system);
    await browser.signIn(`${randomUUID()}@example.org`);
    await browser.ask('POST', 'session', { link: 'pl_used' });
    assert.deepEqual(await counted('perch_gateway_sign_ins_refused_total'), { '{reason="wrong_credentials"}': 2 });
    await until(async () => (await requests())['{action="console_session",code="wrong_credentials"}'] === 2);
  });
});
