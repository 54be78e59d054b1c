/**
 * SIGKILL to the bridge, the broker and the gateway at each step of a question, and a broker that crashed with its bridge. The broker keeps retained
 * messages over its restart, as Debian's package and Home Assistant's add-on do, and sends no last will of connections that it lost by its own death.
 */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { VirtualRobot } from '@perch/virtual-robot';
import { parse } from 'yaml';
import { HomeAssistant, runOf, type Automation } from '../fixture/clients/home-assistant.js';
import { MqttClient } from '../fixture/clients/mqtt-client.js';
import { codeBlocks } from '../fixture/interface/code-blocks.js';
import { left, questionShown, waitArmed } from '../fixture/robots/question.js';
import { onMqttBridges, patient } from '../fixture/system/mqtt-bridges.js';

const steps = ['before it is announced', 'once it is announced', 'asked', 'showing', 'answered', 'published'] as const;
const victims = ['bridge', 'broker', 'gateway'] as const;

onMqttBridges(
  'crashes around the MQTT bridge',
  (at) => {
    const { startBridge, own, device, command, eventsOf, online, ready } = at;
    type Bridge = Awaited<ReturnType<typeof startBridge>>;

    async function kill(victim: (typeof victims)[number], bridge: Bridge): Promise<Bridge> {
      if (victim === 'bridge') {
        bridge.signal('SIGKILL');
        await bridge.ended;
        return startBridge();
      }
      if (victim === 'broker') {
        await at.broker.halt();
        await at.broker.launch();
        return bridge;
      }
      const [gateway] = at.system.cluster.gateways;
      gateway!.signal('SIGKILL');
      await gateway!.ended;
      await at.system.cluster.replace(gateway!);
      return bridge;
    }

    /** Answers the question, if it still shows. A tap before it counts, and one that a crash lost, answers nothing. */
    async function answer(id: string, robot: VirtualRobot): Promise<void> {
      await robot.until(({ online: isOnline }) => isOnline, patient);
      await until(
        async () => {
          if (robot.screen.question === null) return true;
          await robot.tap(...left);
          const number = Number(await at.system.store.connections.commands.hget(`perch:{${id}}:waits`, 'open'));
          return number === 0 || (await at.system.store.waits.read(id, number))?.outcome !== null;
        },
        { ...patient, everyMs: 500 },
      );
    }

    /** Asserts what a Home Assistant that starts now finds: devices of this account's robots alone, available, with one bridge. */
    async function assertWhole(id: string): Promise<void> {
      const fresh = await MqttClient.open(at.broker.url, { name: 'bridge', password: 'secret-of-the-broker' });
      try {
        const { availability } = await fresh.json(device(id));
        for (const { topic } of availability) await fresh.text(topic, 'online');
        const key = availability[0].topic.split('/').at(-2);
        assert.deepEqual(
          [...fresh.retained].filter(([topic]) => topic.startsWith('perch/bridges/') && topic.includes(key)).map(([, payload]) => payload),
          ['online'],
        );
        assert.deepEqual(fresh.integration.problems, []);
        assert.ok([...fresh.retained.keys()].every((topic) => !topic.endsWith('/event') && !topic.includes('/set/')));
      } finally {
        await fresh.close();
      }
    }

    for (const victim of victims)
      for (const step of steps)
        it(`the ${victim} is killed when a question is ${step}: the door opens for its own answer alone, and everything is available again`, async () => {
          const { id, robot } = await at.tenant.robot();
          await at.system.store.robots.rename(at.tenant.account, id, 'Desk');
          let bridge = await startBridge();
          if (step === 'before it is announced') bridge = await kill(victim, bridge);
          await at.home.json(device(id));
          await online(id);
          await ready(bridge);
          // The last answer says Open from now on.
          await command(id, 'ask', 'Lunch? | Open | Later');
          await questionShown(robot);
          await until(
            async () => {
              await robot.tap(...left);
              return eventsOf(id).some(({ trigger }) => trigger === 'answered_answer_1');
            },
            { ...patient, everyMs: 500 },
          );
          await robot.until(({ screen }) => screen.question === null, patient);
          if (step === 'once it is announced') bridge = await kill(victim, bridge);
          await ready(bridge);
          await online(id);

          const home = new HomeAssistant(at.home);
          home.discover(await at.home.json(device(id)));
          const documented = (await codeBlocks('docs/home-assistant.md')).find(({ language }) => language === 'yaml');
          home.add((parse(documented!.text.replaceAll('r-7k2m9qx4tb', id)) as Automation[])[0]!);
          home.setState('binary_sensor.doorbell', 'off');
          home.setState('binary_sensor.doorbell', 'on');
          const run = await runOf(home);
          await run.waiting;
          const ownAnswer = (): boolean => eventsOf(id).some(({ trigger, id: asked }) => trigger === 'answered_answer_1' && asked === run.id);
          if (step === 'asked') bridge = await kill(victim, bridge);
          if (step === 'showing') {
            await questionShown(robot);
            bridge = await kill(victim, bridge);
          }
          if (step === 'answered') {
            const number = await waitArmed(at.system, id, robot);
            await until(
              async () => {
                await robot.tap(...left);
                return (await at.system.store.waits.read(id, number))?.outcome !== null;
              },
              { ...patient, everyMs: 500 },
            );
            bridge = await kill(victim, bridge);
          }
          if (step === 'published') {
            await waitArmed(at.system, id, robot);
            await until(
              async () => {
                await robot.tap(...left);
                return ownAnswer();
              },
              { ...patient, everyMs: 500 },
            );
            assert.equal(await run.end, 'finished');
            bridge = await kill(victim, bridge);
          }
          await ready(bridge);
          await online(id);
          await answer(id, robot);
          // Events arrive in order: what comes before this one has arrived. The automation's time passes if none was its own.
          const pats = eventsOf(id).filter(({ trigger }) => trigger === 'pat').length;
          await until(
            async () => {
              await robot.pat();
              return eventsOf(id).filter(({ trigger }) => trigger === 'pat').length > pats;
            },
            { ...patient, everyMs: 1000 },
          );
          run.expire();
          const end = await run.end;
          const opened = home.calls.filter(({ action }) => action === 'lock.unlock').length;
          assert.deepEqual([opened, end === 'finished'], [ownAnswer() ? 1 : 0, ownAnswer()]);
          assert.equal(home.runs.length, 1);
          await assertWhole(id);
          // No robot flips when the broker reconnects; its own crash is no last will of the bridge.
          const statuses = at.home.messages.filter(({ topic }) => topic === own(id, 'availability'));
          if (victim === 'broker') assert.deepEqual([...new Set(statuses.map(({ payload }) => payload))], ['online']);
          // A broker that crashed may come back with an earlier announcement, of which Home Assistant forgets nothing, until the bridge sends the last.
          const { problems } = at.home.integration;
          if (victim === 'broker')
            problems.splice(0, Infinity, ...problems.filter((problem) => !problem.endsWith('left out, which does not remove it')));
        });

    it('the robots of a bridge that died with its broker, which says that it is online for ever, are taken over within 30 s', async () => {
      const { id, robot } = await at.tenant.robot();
      const first = await startBridge();
      await online(id);
      await ready(first);
      const before = (await at.home.json(device(id))).availability[0].topic;
      await command(id, 'ask', '{"id":"before","question":"Let them in?","answers":["Open","Wait"]}');
      await at.home.json(own(id, 'questions'), (questions) => Object.keys(questions).length === 1);
      const { apiKey } = await at.system.store.apiKeys.create({ account: at.tenant.account, name: 'Another' });

      await at.broker.halt();
      first.signal('SIGKILL');
      await first.ended;
      at.home.retained.clear();
      await at.broker.launch();
      await at.home.text(before, 'online');
      const startedAt = performance.now();
      const second = await startBridge({ PERCH_API_KEY: apiKey });
      const after = await at.home.json(device(id), ({ availability }) => availability[0].topic !== before);
      const tookMs = performance.now() - startedAt;
      assert.ok(tookMs < 30_000, `${Math.round(tookMs)} ms`);
      await at.home.text(after.availability[0].topic, 'online');
      await at.home.text(before, undefined);
      await ready(second);
      await command(id, 'face', 'sad');
      await robot.until(({ face }) => face.emotion === 'sad', patient);
      await until(
        async () => {
          await robot.tap(...left);
          return eventsOf(id).some(({ trigger, id: asked }) => trigger === 'answered_answer_1' && asked === 'before');
        },
        { ...patient, everyMs: 500 },
      );
      await assertWhole(id);
    });

    it('the same bridge, started again after it died with its broker, serves its robots at once', async () => {
      const { id } = await at.tenant.robot();
      const first = await startBridge();
      await online(id);
      await ready(first);
      await at.home.json(device(id));
      await at.broker.halt();
      first.signal('SIGKILL');
      await first.ended;
      await at.broker.launch();
      const again = await startBridge();
      await ready(again);
      await command(id, 'face', 'sad');
      await at.home.json(own(id, 'state'), ({ emotion }) => emotion === 'sad');
      await assertWhole(id);
    });
  },
  { persists: true },
);
