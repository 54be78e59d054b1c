/** The probe's own calls and robot are in no figure of the service: every metric of every instance is compared before and after. */
import assert from 'node:assert/strict';
import { privateRedis, until } from '@perch/testkit';
import { Person } from '@perch/virtual-robot';
import { metric } from '../fixture/telemetry/metric.js';
import { startProbe, type StartedProbe } from '../fixture/system/started-probe.js';
import { useSystem } from '../fixture/system/system-under-test.js';

/** What may move, and why it is no figure of use or of robots. */
const ofInstances: Readonly<Record<string, string>> = {
  perch_event_loop_delay_seconds: 'of the process',
  perch_redis_round_trip_seconds: 'one a second, with or without calls',
  perch_redis_memory_bytes: 'of Redis',
  perch_media_bytes: 'of Redis: the pictures of the questions are there for a while',
  perch_gateway_connections: 'what the instance holds at the moment, for its limit',
  perch_link_connections: 'what the instance holds at the moment, for its limit',
  perch_gateway_subscriptions: 'what the instance holds at the moment',
  perch_link_subscriptions: 'what the instance holds at the moment',
  perch_link_farewells: 'what the instance has to do at the moment',
};
/** What the same calls and the same robot of any other account move. */
const ofUse = [
  'perch_gateway_requests_total',
  'perch_gateway_request_seconds_count',
  'perch_gateway_activity_written_total',
  'perch_link_sessions_opened_total',
  'perch_link_sessions_closed_total',
  'perch_link_commands_total',
  'perch_link_ack_seconds_count',
  'perch_link_command_delivery_seconds_count',
  'perch_link_inputs_total',
  'perch_link_events_total',
  'perch_link_waits_total',
  'perch_render_jobs_total',
  'perch_render_duration_seconds_count',
  'perch_render_bytes_count',
  'perch_render_wait_seconds_count',
  'perch_render_taken_total',
];

describe('the figures of a service that a probe calls (a gateway, a robot-link, a renderer, webhooks)', () => {
  const system = useSystem({ gateways: 1, links: 1, renderers: 1, env: { PERCH_METRICS_ROBOTS: 'true' } }, async () => ({
    redis: await privateRedis(),
    webhooks: 1,
  }));
  let probe: StartedProbe | null = null;
  afterEach(() => probe?.process.stop());

  async function samples(): Promise<Map<string, string>> {
    const all = new Map<string, string>();
    for (const { service, admin } of system.services)
      for (const [, name, value] of (await (await fetch(`${admin}/metrics`)).text()).matchAll(/^(perch_\S+(?: \S+="[^\n]*})?) (\S+)$/gm))
        all.set(`${service} ${name}`, value!);
    return all;
  }
  function moved(before: Map<string, string>, after: Map<string, string>): string[] {
    const names = new Set<string>();
    for (const [series, value] of after) if (before.get(series) !== value) names.add(/^\S+ (\w+)/.exec(series)![1]!);
    return [...names].toSorted();
  }
  const isOfInstances = (name: string): boolean =>
    Object.keys(ofInstances).some((own) => name === own || name.replace(/_(?:bucket|sum|count)$/, '') === own);
  const robotsOfLink = async (): Promise<string> => (await fetch(`${system.cluster.links[0]!.admin}/metrics/robots`)).text();

  it('no figure of use or of robots moves by the calls, the questions and the robot of a probe', async () => {
    const before = await samples();
    probe = await startProbe(system, { baseUrl: system.gateway(), linkUrl: system.link() });
    // The first question comes at once.
    await Promise.all([probe.reaches('call', 'ok', 1), probe.reaches('question', 'ok', 1)]);
    const [link] = system.cluster.links;
    assert.equal(await metric(probe.process.admin, 'perch_probe_robot_connected'), 1);
    for (const gauge of ['sessions', 'robots_by_state', 'robots_by_model', 'robots_by_firmware', 'open_waits', 'open_commands'])
      assert.equal(await metric(link!.admin, `perch_link_${gauge}`), 0, gauge);
    assert.doesNotMatch(await robotsOfLink(), /perch_robot_\w+\{/);
    await probe.process.stop();
    await until(async () => (await metric(link!.admin, 'perch_link_connections')) === 0, { what: 'the robot of the probe to have left' });
    // The activity of calls is written once a second.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    assert.deepEqual(
      moved(before, await samples()).filter((name) => !isOfInstances(name)),
      [],
    );
  });

  it('the same calls and a robot of another account move these figures', async () => {
    const before = await samples();
    const tenant = await system.tenant();
    const { id, robot } = await tenant.robot();
    assert.equal(await metric(system.cluster.links[0]!.admin, 'perch_link_sessions'), 1);
    assert.match(await robotsOfLink(), new RegExp(`perch_robot_up\\{account="${tenant.account}",robot="${id}"\\} 1`));
    const person = new Person(robot, { thinkMs: 300 });
    system.keep({ stop: async () => person.stop() });
    const { status } = await tenant.api().act(id, 'ask', { question: 'Counted?', answers: ['Yes', 'No'], timeout_s: 5 });
    assert.equal(status, 200);
    await robot.stop();
    const missing = async (): Promise<string[]> => {
      const names = moved(before, await samples());
      return ofUse.filter((name) => !names.includes(name));
    };
    await until(async () => (await missing()).length === 0).catch(async () => assert.deepEqual(await missing(), []));
  });
});
