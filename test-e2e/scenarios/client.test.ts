import assert from 'node:assert/strict';
import { Perch, type RobotClient } from '@perch/client';
import { TcpProxy, until } from '@perch/testkit';
import type { VirtualRobot } from '@perch/virtual-robot';
import { left, questionShown, right, waitArmed } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

onSharedSystems(
  'the client',
  (system) => {
    let perch: Perch;
    let robot: RobotClient;
    let body: VirtualRobot;
    let key: string;
    let id: string;
    beforeEach(async () => {
      const tenant = await system().tenant();
      ({ id, robot: body } = await tenant.robot({ instant: true }));
      key = tenant.key;
      perch = new Perch({ baseUrl: system().gateway(), apiKey: key });
      robot = perch.robot(id);
    });

    it('the client has a method for every action, and each has its effect at the robot', async () => {
      const acting = (await perch.actions()).map(({ name }) => name).filter((name) => name !== 'events');
      for (const name of [...acting, 'stop', 'scene']) assert.equal(typeof robot[name as keyof RobotClient], 'function', name);
      assert.deepEqual(
        (await perch.robots()).map((found) => [found.id, found.online]),
        [[id, true]],
      );
      assert.ok((await perch.icons()).some(({ name, tags }) => name === 'cloud-sun' && tags.includes('weather')));
      assert.deepEqual(await robot.say({ text: 'Hi' }), { ok: true });
      assert.equal(body.bubble?.text, 'Hi');
      await robot.face({ emotion: 'happy' });
      assert.equal(body.face.emotion, 'happy');
      assert.equal((await robot.move({ yaw: 20 })).yaw, 20);
      await robot.leds({ effect: 'rainbow' });
      assert.equal(body.leds.effect?.name, 'rainbow');
      assert.equal((await robot.speak({ text: 'Hello', lang: 'en' })).caption, true);
      assert.ok((await robot.sound({ notes: 'C4:3000' })).seconds >= 3);
      assert.deepEqual(await robot.command({ command: 'brightness', args: { pct: 40 } }), { ok: true, result: {} });
      assert.equal(body.own.brightness, 40);
      await robot.show({ text: 'Tap me' });
      assert.ok(body.screen.card !== null);
      const png = (base64: string): string => Buffer.from(base64, 'base64').toString('latin1', 1, 4);
      assert.equal(png((await robot.screen()).image), 'PNG');
      assert.equal(png((await robot.preview('ask', { question: 'Ship it?', answers: ['Ship', 'Wait'] })).image), 'PNG');
      await assert.rejects(robot.preview('say', { text: '' }), { code: 'bad_argument', field: 'text' });
      assert.deepEqual((await robot.stop()).stopped, ['sound', 'leds', 'head']);
      assert.equal((await robot.state()).showing.emotion, 'happy');

      const clickmap = robot.clickmap({ regions: [{ id: 'screen', rect: [0, 0, 320, 240] }] });
      await waitArmed(system(), id, body);
      await body.tap(100, 50);
      const { region, x, y } = await clickmap;
      assert.deepEqual({ region, x, y }, { region: 'screen', x: 100, y: 50 });
      const menu = robot.menu({ items: ['Soup', { id: 'p', label: 'Pizza' }] });
      await waitArmed(system(), id, body);
      await body.tap(...right);
      assert.equal((await menu).item, 'p');
      const scene = robot.scene([
        { action: 'move', gesture: 'nod' },
        { action: 'ask', question: 'Go on?', answers: ['Yes', 'No'] },
      ]);
      await waitArmed(system(), id, body);
      await body.tap(...left);
      const [moved, asked] = (await scene).results;
      assert.deepEqual([moved.yaw, asked.answer], [null, 'Yes']);
      assert.equal((await robot.readEvents({ names: ['connected'] })).events[0]?.name, 'connected');
    });

    it("aborting the client's signal removes the question from the screen", async () => {
      const stop = new AbortController();
      const asking = robot.ask({ question: 'Still there?', answers: ['Yes', 'No'] }, { signal: stop.signal });
      await waitArmed(system(), id, body);
      stop.abort(new Error('never mind'));
      await assert.rejects(asking, /never mind/);
      await body.until(({ screen }) => screen.question === null, { what: 'the question to go' });
    });

    it('a question with retry keeps showing while its connection is cut, and is taken away at once when its call is aborted', async () => {
      const proxy = await TcpProxy.open({ host: '127.0.0.1', port: Number(new URL(system().gateway()).port) });
      try {
        const removals: number[] = [];
        const asker = new Perch({
          baseUrl: `http://127.0.0.1:${proxy.port}`,
          apiKey: key,
          onResponse: ({ method, status }) => method === 'DELETE' && removals.push(status),
        }).robot(id);
        const asked = asker.ask({ question: 'Deploy?', answers: ['yes', 'no'], timeout_s: 60 }, { retry: true });
        const first = await questionShown(body);
        await waitArmed(system(), id, body);
        proxy.cut();
        await body.tap(...left);
        assert.equal((await asked).answer, 'yes');

        const abort = new AbortController();
        const given = asker.ask({ question: 'Really?', answers: ['yes', 'no'], timeout_s: 60 }, { retry: true, signal: abort.signal });
        await questionShown(body, first);
        abort.abort();
        await assert.rejects(given, { name: 'AbortError' });
        await body.until(({ screen }) => screen.question === null, { what: 'the question to be taken away' });
        // Otherwise it would have stayed for 15 s.
        await until(() => removals.length === 1);
        assert.deepEqual(removals, [200]);
      } finally {
        await proxy.close();
      }
    });

    it('a call that the client retries because its answer was lost is performed once', async () => {
      let lost = 0;
      const losing: typeof fetch = async (...args) => {
        const response = await fetch(...args);
        if (++lost > 2) return response;
        await response.text();
        throw new TypeError('the answer was lost');
      };
      const unlucky = new Perch({ baseUrl: system().gateway(), apiKey: key, fetch: losing }).robot(id);
      const before = body.commands.length;
      assert.equal((await unlucky.move({ gesture: 'nod' })).ok, true);
      assert.deepEqual([lost, body.commands.length - before], [3, 1]);
    });

    it('the client makes 45 calls at once succeed with a bucket of 30', async () => {
      const answers = await Promise.all(Array.from({ length: 45 }, () => robot.face({ emotion: 'happy' })));
      assert.ok(answers.every(({ ok }) => ok));
    });

    it('the client reads every event once and in order over a connection that is cut repeatedly', async () => {
      const proxy = await TcpProxy.open({ host: '127.0.0.1', port: Number(new URL(system().gateway()).port) });
      try {
        const follower = new Perch({ baseUrl: `http://127.0.0.1:${proxy.port}`, apiKey: key }).robot(id);
        const seen: (number | string)[] = [];
        const reading = (async () => {
          for await (const event of follower.events()) {
            seen.push(event.name === 'gap' ? 'gap' : event.seq);
            if (seen.length === 7) return;
          }
        })();
        for (let made = 1; made < 7; made++) {
          await until(() => seen.length === made, { what: `event ${made}` });
          if (made % 2 === 0) proxy.cut();
          await body.pat();
        }
        await reading;
        assert.deepEqual(seen, [1, 2, 3, 4, 5, 6, 7]);
      } finally {
        await proxy.close();
      }
    });
  },
  [shapes[0]!],
);
