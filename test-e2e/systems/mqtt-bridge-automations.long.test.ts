/** The automations of docs/home-assistant.md, played to their end as Home Assistant does. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { until } from '@perch/testkit';
import type { VirtualRobot } from '@perch/virtual-robot';
import { parse } from 'yaml';
import { HomeAssistant, runOf, type Automation } from '../fixture/clients/home-assistant.js';
import { codeBlocks } from '../fixture/interface/code-blocks.js';
import { left, questionShown, waitArmed } from '../fixture/robots/question.js';
import { onMqttBridges, patient } from '../fixture/system/mqtt-bridges.js';

const robotInDocs = 'r-7k2m9qx4tb';

onMqttBridges('the documented automations', (at) => {
  let home: HomeAssistant;
  let id: string;
  let robot: VirtualRobot;
  const inDocs = async (): Promise<Automation[]> => {
    const blocks = await codeBlocks('docs/home-assistant.md');
    return blocks.filter(({ language }) => language === 'yaml').flatMap(({ text }) => parse(text.replaceAll(robotInDocs, id)) as Automation[]);
  };
  const play = async (alias: string): Promise<void> => {
    const automation = (await inDocs()).find((each) => each.alias === alias);
    assert.ok(automation, alias);
    home.add(automation);
  };
  const eventsOf = (trigger: RegExp): any[] => at.eventsOf(id).filter((event) => trigger.test(event.trigger));
  /** A tap before the question may count answers nothing, so it is repeated. */
  const tapFirst = (isDone: () => boolean): Promise<unknown> =>
    until(
      async () => {
        await robot.tap(...left);
        return isDone();
      },
      { ...patient, everyMs: 500 },
    );
  const ring = (): void => {
    home.setState('binary_sensor.doorbell', 'off');
    home.setState('binary_sensor.doorbell', 'on');
  };
  const doorIsOpen = (): boolean => home.calls.some(({ action, entity }) => action === 'lock.unlock' && entity === 'lock.front_door');

  beforeEach(async () => {
    ({ id, robot } = await at.tenant.robot());
    await at.system.store.robots.rename(at.tenant.account, id, 'Desk');
    await at.ready(await at.startBridge());
    await at.online(id);
    home = new HomeAssistant(at.home);
    home.discover(await at.home.json(at.device(id)));
  });

  it('all of them are played by a test of this file', async () => {
    assert.deepEqual(
      (await inDocs()).map(({ alias }) => alias),
      ['The doorbell asks at the robot', 'Red LEDs while the build fails', 'A pat pauses the music'],
    );
  });

  it('the door opens when the person taps Open, and the events before the answer do not end the wait', async () => {
    await play('The doorbell asks at the robot');
    ring();
    const run = await runOf(home);
    const { seconds, goesOn } = await run.waiting;
    assert.deepEqual([seconds, goesOn], [130, false]);
    await questionShown(robot);
    await robot.pat();
    await until(() => eventsOf(/^pat$/).length === 1, patient);
    assert.equal(doorIsOpen(), false);
    await tapFirst(() => eventsOf(/answered/).length === 1);
    assert.equal(await run.end, 'finished');
    assert.equal(doorIsOpen(), true);
    const [answered] = eventsOf(/answered/);
    assert.deepEqual([answered.id, answered.question, answered.trigger], [run.id, 'Somebody is at the door', 'answered_answer_1']);
    assert.equal((await at.home.json(at.own(id, 'answer'))).id, run.id);
  });

  it('the door stays shut when the person taps Not now, and when nobody answers', async () => {
    await play('The doorbell asks at the robot');
    ring();
    const first = await runOf(home);
    await questionShown(robot);
    await waitArmed(at.system, id, robot);
    await until(
      async () => {
        await robot.tap(260, 170);
        return eventsOf(/answered_answer_2/).length === 1;
      },
      { ...patient, everyMs: 500 },
    );
    assert.equal(await first.end, 'condition');

    ring();
    const second = await runOf(home, 2);
    await second.waiting;
    second.expire();
    assert.equal(await second.end, 'timeout');
    assert.equal(doorIsOpen(), false);
  });

  it('an answer to the question before, which still is the last answer, opens nothing when the next is refused', async () => {
    await play('The doorbell asks at the robot');
    ring();
    const first = await runOf(home);
    await questionShown(robot);
    await tapFirst(() => eventsOf(/answered_answer_1/).length === 1);
    assert.equal(await first.end, 'finished');
    home.calls.length = 0;

    // No command ends while the gateway is paused, so that the queue of the robot is full however long the machine takes.
    const [gateway] = at.system.cluster.gateways;
    gateway!.signal('SIGSTOP');
    try {
      for (let i = 0; i < 21; i++) await at.command(id, 'show', `Card ${i}`);
      ring();
      await until(() => eventsOf(/not_asked/).length > 0, patient);
    } finally {
      gateway!.signal('SIGCONT');
    }
    const second = await runOf(home, 2);
    // The refusal may arrive before the automation waits; its time then passes.
    await second.waiting;
    second.expire();
    assert.match(await second.end, /^(?:condition|timeout)$/);
    assert.equal(doorIsOpen(), false);
    const [refused] = eventsOf(/not_asked/);
    assert.deepEqual([refused.event_type, refused.id, refused.question], ['not_asked', second.id, 'Somebody is at the door']);
    assert.match(refused.reason, /too many commands/);
    assert.equal((await at.home.json(at.own(id, 'answer'))).answer, 'Open');
  });

  it('an answer to a question of another program, with the same key, opens nothing and fires no answer', async () => {
    await play('The doorbell asks at the robot');
    ring();
    const run = await runOf(home);
    await questionShown(robot);
    const shown = robot.screen.question!.id;
    await at.tenant.api().act(id, 'ask', { question: 'Lunch?', answers: ['Yes', 'No'], detach: true });
    await questionShown(robot, shown);
    assert.equal(await run.end, 'condition');
    await tapFirst(() => eventsOf(/answered_other/).length > 0);
    assert.deepEqual(
      eventsOf(/answered/).map(({ trigger, id: asked }) => [trigger, asked]),
      [
        ['answered_replaced', run.id],
        ['answered_other', undefined],
      ],
    );
    assert.equal(doorIsOpen(), false);
  });

  it('a question to a robot that is offline ends the automation by an event', async () => {
    await play('The doorbell asks at the robot');
    await robot.stop();
    await at.home.text(at.own(id, 'availability'), 'offline');
    ring();
    const run = await runOf(home);
    await until(() => eventsOf(/not_asked/).find((event) => event.code === 'robot_offline' && event.id === run.id), patient);
    await run.waiting;
    run.expire();
    await run.end;
    assert.equal(doorIsOpen(), false);
  });

  it('the messages that the pages show are carried out as they stand there', async () => {
    const page = await readFile(new URL('../../docs/home-assistant.md', import.meta.url), 'utf8');
    const messages = [...page.matchAll(/`(\{"[^`]+\})`/g)].map(([, message]) => message!);
    assert.deepEqual(
      messages.map((message) => Object.keys(JSON.parse(message) as object)[0]),
      ['title', 'id'],
    );
    const [block] = await codeBlocks('docs/clients/home-assistant.md');
    const first = parse(block!.text) as Automation['actions'][number];
    const toQuestion = { ...first, data: { message: messages[1] } };
    const toScreen = { ...first, target: { entity_id: 'notify.desk_screen' }, data: { message: messages[0] } };
    for (const [i, action] of [first, toQuestion, toScreen].entries())
      home.add({ alias: String(i), triggers: [{ trigger: 'state', entity_id: `input_button.test_${i}` }], actions: [action] });
    home.setState('input_button.test_2', 'now');
    await robot.until(({ screen }) => screen.card !== null, patient);
    home.setState('input_button.test_0', 'now');
    const shown = await questionShown(robot);
    home.setState('input_button.test_1', 'now');
    await questionShown(robot, shown);
    const questions = await at.home.json(at.own(id, 'questions'), (open) =>
      Object.values<{ id: string }>(open).some(({ id: asked }) => asked === 'door-7'),
    );
    assert.ok(Object.values<{ question: string }>(questions).some(({ question }) => question === 'Let them in?'));
    assert.equal((await at.home.json(at.own(id, 'error'))).error, 'none');
  });

  it('the LEDs are red and breathe while the build fails', async () => {
    await play('Red LEDs while the build fails');
    home.setState('sensor.build', 'failed');
    assert.equal(await (await runOf(home)).end, 'finished');
    await robot.until(({ leds }) => leds.effect?.name === 'breathe', patient);
    const { color } = await at.home.json(at.own(id, 'light'), ({ state }) => state === 'ON');
    assert.deepEqual(color, { r: 255, g: 0, b: 0 });
  });

  it('a pat pauses the music, and a tap does not', async () => {
    await play('A pat pauses the music');
    await robot.tap(10, 10);
    await until(() => eventsOf(/^tap$/).length === 1, patient);
    await robot.pat();
    await until(() => home.calls.length === 1, patient);
    assert.deepEqual([home.calls[0]!.action, home.runs.length], ['media_player.media_pause', 1]);
  });
});
