import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { until } from '@perch/testkit';
import { questionShown, left } from '../fixture/robots/question.js';
import { agentKinds, agentsOf } from '../fixture/clients/mcp.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

onSharedSystems(
  'mcp tools',
  (system) => {
    for (const kind of agentKinds) {
      describe(kind.name, () => {
        const connected = agentsOf(kind, system);

        it('a client agrees on a revision, reads the instructions, and lists 18 tools', async () => {
          const agent = await connected((await system().tenant()).key);
          assert.equal(agent.revision, kind.revision);
          assert.match(agent.instructions ?? '', /robot_list/);
          const tools = await agent.list();
          assert.equal(tools.length, 18);
          assert.ok(Buffer.byteLength(JSON.stringify(tools)) <= 24_000, 'every agent reads the list at every start');
          for (const { title, inputSchema, annotations } of tools) {
            assert.ok(title.length > 3);
            assert.equal(inputSchema.additionalProperties, false);
            assert.equal(typeof annotations, 'object');
          }
        });

        it('every tool has the effect of its action, and returns the same JSON as object and as text', async () => {
          const tenant = await system().tenant();
          const { id, robot } = await tenant.robot();
          const agent = await connected(tenant.key);
          // Clients check calls and answers against the tools that they have listed.
          await agent.list();
          const calls: [tool: string, args: Record<string, unknown>][] = [
            ['robot_list', {}],
            ['robot_say', { text: 'Hi', seconds: 1 }],
            ['robot_show', { title: 'Build', text: '42 %' }],
            ['robot_face', { emotion: 'happy' }],
            ['robot_move', { yaw: 10, pitch: 20 }],
            ['robot_leds', { color: 'red', robot: id }],
            ['robot_sound', { volume: 40 }],
            ['robot_speak', { text: 'Hello' }],
            ['robot_command', { command: 'brightness', args: { pct: 60 } }],
            ['robot_ask', { question: 'Q?', answers: ['a', 'b'], timeout_s: 0.3 }],
            ['robot_menu', { items: ['a', 'b'], timeout_s: 0.3 }],
            ['robot_clickmap', { regions: [{ id: 'r', rect: [0, 0, 9, 9] }], timeout_s: 0.3 }],
            ['robot_events', { after: 0, seconds: 0 }],
            ['robot_state', {}],
            ['robot_stop', {}],
            ['robot_scene', { actions: [{ action: 'face', emotion: 'happy' }] }],
            ['robot_group', { label: 'all', action: 'face', args: { emotion: 'sad' } }],
          ];
          for (const [tool, args] of calls) {
            const { isError, text, answer, images } = await agent.call(tool, args);
            assert.equal(isError, false, `${tool}: ${text}`);
            assert.equal(answer.ok, true, tool);
            assert.deepEqual(JSON.parse(text), answer, tool);
            assert.deepEqual(images, [], tool);
          }
          const { wait } = (await agent.call('robot_ask', { question: 'Q?', answers: ['a', 'b'], detach: true })).answer;
          const { isError, text, answer } = await agent.call('robot_answer', { wait, seconds: 0 });
          assert.deepEqual([isError, answer.outcome, JSON.parse(text)], [false, 'pending', answer]);
          assert.equal(calls.length + 1, 18);
          const done = robot.commands.map((command) => command.name);
          for (const command of ['bubble', 'screen.show', 'leds.set', 'head.move', 'robot'])
            assert.ok(done.includes(command), `${command}: ${done.join()}`);
          assert.deepEqual(robot.violations, []);
        });

        it('robot_state is short by default, and has everything with whole', async () => {
          const tenant = await system().tenant();
          const { id } = await tenant.robot();
          const agent = await connected(tenant.key);
          await agent.list();
          const short = (await agent.call('robot_state')).answer;
          const whole = (await agent.call('robot_state', { whole: true, robot: id })).answer;
          assert.deepEqual([short.id, short.online, short.showing], [whole.id, true, whole.showing]);
          for (const field of ['model', 'firmware', 'commands', 'labels']) assert.deepEqual([field in short, field in whole], [false, true], field);
          assert.ok(Object.keys(short.readings).length <= 6);
          assert.ok(short.events.length <= 5);
        });

        it('a robot is reached by its name, too', async () => {
          const tenant = await system().tenant();
          const { id } = await tenant.robot();
          await tenant.robot();
          const agent = await connected(tenant.key);
          const { name } = (await agent.call('robot_state', { robot: id })).answer;
          assert.equal((await agent.call('robot_state', { robot: name })).answer.id, id);
        });

        it('a question to a group ends with the first answer', async () => {
          const tenant = await system().tenant();
          const [one, two] = [await tenant.robot(), await tenant.robot()];
          const agent = await connected(tenant.key);
          const call = agent.call('robot_group', {
            label: 'all',
            action: 'ask',
            args: { question: 'Tea or coffee?', answers: ['Tea', 'Coffee'] },
            answers: 'first',
          });
          await Promise.all([questionShown(one.robot), questionShown(two.robot)]);
          await two.robot.tap(...left);
          const { isError, answer } = await call;
          assert.deepEqual([isError, answer.first, answer.failed], [false, two.id, 0]);
          await one.robot.until((r) => r.screen.question === null);
        });

        it('a tap answers robot_ask', async () => {
          const tenant = await system().tenant();
          const { robot } = await tenant.robot();
          const agent = await connected(tenant.key);
          const call = agent.call('robot_ask', { question: 'Tea or coffee?', answers: ['Tea', 'Coffee'] });
          await questionShown(robot);
          await robot.tap(...left);
          const { isError, answer } = await call;
          assert.deepEqual([isError, answer.outcome, answer.answer, answer.index], [false, 'answered', 'Tea', 0]);
          await robot.until((r) => r.screen.question === null);
        });

        it('a result names what was cut, and an approval that has to be whole is refused with advice', async () => {
          const tenant = await system().tenant();
          await tenant.robot();
          const agent = await connected(tenant.key);
          await agent.list();
          const long = 'word '.repeat(200);
          const shown = await agent.call('robot_show', { text: long });
          assert.deepEqual([shown.isError, shown.answer], [false, { ok: true, truncated: ['text'] }]);
          const { isError, answer } = await agent.call('robot_ask', { question: long, answers: ['Yes', 'No'], whole: true });
          assert.deepEqual([isError, answer.code, answer.field], [true, 'not_whole', 'question']);
          assert.match(answer.next, /Shorten the text/);
        });

        it('a newer question ends the older one as replaced, and a timeout is a result as well', async () => {
          const tenant = await system().tenant();
          const { robot } = await tenant.robot();
          const agent = await connected(tenant.key);
          const other = await connected(tenant.key, 1);
          const first = agent.call('robot_ask', { question: 'First?', answers: ['a', 'b'] });
          await questionShown(robot);
          const second = await other.call('robot_menu', { items: ['a', 'b'], timeout_s: 0.5 });
          const replaced = await first;
          assert.deepEqual([replaced.isError, replaced.answer.outcome, replaced.answer.replaced], [false, 'replaced', true]);
          assert.deepEqual([second.isError, second.answer.outcome, second.answer.timed_out], [false, 'timed_out', true]);
        });

        it('failures are results that say what to do next', async () => {
          const tenant = await system().tenant();
          const away = await tenant.offlineRobot();
          const agent = await connected(tenant.key);
          await agent.list();
          const long = 'x'.repeat(5000);
          const cases: [tool: string, args: Record<string, unknown>, code: string, says: RegExp][] = [
            ['robot_leds', { color: 'red' }, 'robot_offline', /robot_state/],
            ['robot_ask', { question: 'Q', answers: ['a', 'b'] }, 'robot_offline', /is offline/],
            ['robot_ask', { question: 'Q', answers: ['only'] }, 'bad_argument', /answers: at least 2/],
            ['robot_ask', { question: 'Q' }, 'bad_argument', /answers: is required but missing/],
            ['robot_leds', { colour: 'red' }, 'bad_argument', /colour: is not an argument of robot_leds; it takes color, effect/],
            ['robot_leds', { '': 1 }, 'bad_argument', /\\"\\": is not an argument of robot_leds/],
            ['robot_leds', { [long]: 1 }, 'bad_argument', /^\{"ok":false,"error":"x{40}\.\.\.: is not an argument/],
            ['robot_state', { fast: true }, 'bad_argument', /fast: is not an argument of robot_state; it takes whole, screen, robot/],
            ['robot_state', { screen: 1 }, 'bad_argument', /screen: must be true or false/],
            ['robot_state', { whole: 'yes' }, 'bad_argument', /whole: must be true or false/],
            ['robot_leds', { robot: 'No Such Name', color: 'red' }, 'unknown_robot', /robot_list/],
            ['robot_list', { robot: away.id }, 'bad_argument', /robot: is not an argument/],
            ['robot_show', { robot: 7, text: 'x' }, 'bad_argument', /robot: must be a string/],
            ['robot_show', {}, 'bad_argument', /nothing to do/],
            ['robot_show', { robot: 'r-0000000000', text: 'x' }, 'unknown_robot', /robot_list/],
            ['robot_command', { command: 'restart' }, 'command_not_passed_on', /restart/],
            ['robot_group', { label: 'room=r9', action: 'face', args: { emotion: 'sad' } }, 'not_found', /room=r9/],
            ['robot_group', { label: 'all', action: 'fly' }, 'bad_argument', /action: /],
            ['robot_group', { label: 'all', action: 'face', args: { emotion: 'glad' } }, 'bad_argument', /emotion: /],
          ];
          for (const [tool, args, code, says] of cases) {
            const { isError, text, answer } = await agent.call(tool, args);
            assert.equal(isError, true, text);
            assert.equal(answer.code, code, text);
            assert.match(text, says);
            assert.equal(typeof answer.next, 'string', text);
            assert.equal(typeof answer.request_id, 'string', text);
          }
        });

        it('an unknown tool gets a protocol error that lists the known ones', async () => {
          const agent = await connected((await system().tenant()).key);
          await assert.rejects(agent.call('robot_fly'), /Unknown tool: robot_fly.*robot_show/s);
        });

        it('too many tool calls get a result that says how long to wait', async () => {
          const tenant = await system().tenant();
          const agent = await connected(tenant.key);
          const results = await Promise.all(Array.from({ length: 40 }, () => agent.call('robot_list')));
          const refused = results.filter(({ isError }) => isError);
          assert.ok(refused.length >= 1 && refused.length <= 10, `${refused.length} refused`);
          for (const { answer } of refused) assert.deepEqual([answer.code, answer.retry_after_s >= 1], ['rate_limited', true]);
          assert.equal((await agent.list()).length, 18, 'listing costs nothing');
        });

        it('a call without robot lists the robots if there are several, and each can be reached by name', async () => {
          const tenant = await system().tenant();
          const one = await tenant.robot();
          const two = await tenant.robot();
          const agent = await connected(tenant.key);
          const unclear = await agent.call('robot_leds', { color: 'red' });
          assert.equal(unclear.isError, true);
          assert.equal(unclear.answer.field, 'robot');
          for (const { id } of [one, two]) assert.ok(unclear.answer.error.includes(id), unclear.answer.error);
          assert.equal((await agent.call('robot_leds', { color: 'red', robot: two.id })).isError, false);
          assert.ok(two.robot.commands.some((command) => command.name === 'leds.set'));
          assert.ok(!one.robot.commands.some((command) => command.name === 'leds.set'));
          const none = await connected((await system().tenant()).key);
          assert.match((await none.call('robot_state')).text, /no robot yet/);
        });

        it('a key reaches its own robots only, and a key for a single robot needs no robot argument', async () => {
          const tenant = await system().tenant();
          const mine = await tenant.robot();
          await tenant.robot();
          const { apiKey } = await system().store.apiKeys.create({ account: tenant.account, name: randomUUID(), robots: [mine.id] });
          const agent = await connected(apiKey);
          assert.deepEqual(
            (await agent.call('robot_list')).answer.robots.map((robot: { id: string }) => robot.id),
            [mine.id],
          );
          assert.equal((await agent.call('robot_state')).answer.id, mine.id);
          const stranger = await system().tenant();
          const theirs = await stranger.robot();
          const refused = await agent.call('robot_leds', { color: 'red', robot: theirs.id });
          assert.deepEqual([refused.isError, refused.answer.code], [true, 'unknown_robot']);
          assert.ok(!refused.text.includes(stranger.account));
          assert.ok(!theirs.robot.commands.some((command) => command.name === 'leds.set'));
        });

        it('the screen is returned as an image if requested: the face, the card, and the question over it', async () => {
          const tenant = await system().tenant();
          const { robot } = await tenant.robot();
          const agent = await connected(tenant.key);
          const screen = async (): Promise<string[]> => {
            const { images, answer } = await agent.call('robot_state', { screen: true });
            assert.equal(answer.ok, true);
            return images.map(({ data, mimeType }) => {
              assert.match(mimeType, /^image\/(jpeg|png)$/);
              return data;
            });
          };
          const [face] = await screen();
          const png = Buffer.from(face!, 'base64');
          assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [320, 240]);
          await agent.call('robot_show', { text: 'A card' });
          const [card] = await screen();
          assert.ok(Buffer.from(card!, 'base64').equals(robot.screen.card!.picture), 'the card as the robot got it');
          const call = agent.call('robot_ask', { question: 'Q?', answers: ['a', 'b'] });
          await questionShown(robot);
          const [question] = await screen();
          assert.ok(Buffer.from(question!, 'base64').equals(robot.screen.question!.picture), 'the question as the robot got it');
          await robot.tap(...left);
          await call;
          // The robot's report that the question has left the screen follows the answer. A key allows 10 calls a second.
          await until(async () => isDeepStrictEqual(await screen(), [card]), { everyMs: 300, what: 'the card alone' });
        });
      });
    }
  },
  [shapes[1]!],
);
