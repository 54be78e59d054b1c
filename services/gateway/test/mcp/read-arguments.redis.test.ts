/** Arguments that models send in place of those of a schema, as public reports of peers' servers have them. */
import assert from 'node:assert/strict';
import { useGateway, useOwner } from '../gateway-under-test.js';
import { postMessage, toolMessage } from './mcp-requests.js';

describe('arguments as models send them', () => {
  const system = useGateway();
  const owner = useOwner(system);
  const call = async (name: string, args: object): Promise<any> => {
    const { result } = await toolMessage(system, owner, name, args);
    return { ...JSON.parse(result.content[0].text), isError: result.isError === true };
  };
  const sent = () => system.link.commands.at(-1) as any;

  // NVIDIA/NeMo-Agent-Toolkit#1269, langflow-ai/langflow#8059, can1357/oh-my-pi#2981: optional arguments come as null or as an empty text.
  for (const empty of [null, ''])
    it(`an optional argument that is ${JSON.stringify(empty)} is one that was left out, robot too with one robot`, async () => {
      const args = Object.fromEntries(
        ['title', 'note', 'icon', 'qr', 'color', 'lang', 'robot', 'progress', 'countdown'].map((name) => [name, empty]),
      );
      const { ok, isError, arguments_read } = await call('robot_show', { text: 'Hello', ...args });
      assert.deepEqual([ok, isError, arguments_read], [true, false, undefined]);
    });

  it('an empty robot reaches no robot by chance: with several, one must be named', async () => {
    await system.store.robots.create({ account: owner.account, name: 'Another' });
    for (const robot of ['', null]) {
      const { code, field } = await call('robot_face', { emotion: 'happy', robot });
      assert.deepEqual([code, field], ['bad_argument', 'robot']);
    }
    assert.equal((await call('robot_face', { emotion: 'happy' })).ok, true, 'left out: the only one that is online');
  });

  // anthropics/claude-code#22394 and #59227, punkpeye/mcp-remote#319: numbers, lists and objects come as their JSON text.
  for (const [name, args, read] of [
    ['robot_say', { text: '42', seconds: '3.5' }, ['seconds']],
    ['robot_leds', { pixels: JSON.stringify(Array.from({ length: 12 }, () => 'red')) }, ['pixels']],
    ['robot_move', { yaw: '10', pitch: ' 20 ' }, ['yaw', 'pitch']],
    ['robot_state', { whole: 'True', screen: 'false' }, ['whole', 'screen']],
    ['robot_show', { text: 'x', countdown: '{"seconds":60}' }, ['countdown']],
  ] as const)
    it(`${name} reads ${read.join(' and ')} from a text, and says so`, async () => {
      const { ok, error, arguments_read, adjusted } = await call(name, args);
      assert.deepEqual([ok, error, arguments_read, adjusted], [true, undefined, read, undefined]);
    });

  it('a text stays a text where the argument takes one, whatever it looks like', async () => {
    const { ok, arguments_read } = await call('robot_say', { text: '[1,2]' });
    assert.deepEqual([ok, arguments_read], [true, undefined]);
    assert.equal((await call('robot_menu', { items: ['1', 'true'], timeout_s: 0.2 })).ok, true);
    assert.ok(sent());
  });

  for (const [name, args, field] of [
    ['robot_leds', { pixels: 'red' }, 'pixels'],
    ['robot_say', { text: 'x', seconds: 'three' }, 'seconds'],
    ['robot_say', { text: 'x', seconds: '[3]' }, 'seconds'],
    ['robot_move', { yaw: 'NaN' }, 'yaw'],
    ['robot_ask', { question: null, answers: ['a', 'b'] }, 'question'],
    ['robot_ask', { question: 'x', answers: '' }, 'answers'],
    ['robot_group', { label: null, action: 'face', args: { emotion: 'happy' } }, 'label'],
    ['robot_group', { label: '', action: 'face', args: { emotion: 'happy' } }, 'label'],
    ['robot_ask', { question: 'x', answers: '{"a":1}' }, 'answers'],
  ] as const)
    it(`${name} with ${JSON.stringify(args)} is refused, naming ${field}`, async () => {
      const { isError, code, error } = await call(name, args);
      assert.deepEqual([isError, code], [true, 'bad_argument'], error);
      assert.match(error, new RegExp(`^${field}`));
    });

  it('arguments that are unknown are named beside those that are missing', async () => {
    const { error, field } = await call('robot_ask', { text: 'Tea?', options: ['Yes', 'No'] });
    assert.match(error, /^text, options: are not arguments of robot_ask; it takes .*, and needs question and answers$/);
    assert.equal(field, 'text');
  });

  // KeeperHub/keeperhub#2108.
  it('arguments that are null are none; a client that accepts anything, or says nothing, is answered', async () => {
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json, */*;q=0.1' }]) {
      const message = { id: 1, method: 'tools/call', params: { name: 'robot_list', arguments: null } };
      const response = await postMessage(system, owner, message, { headers });
      assert.equal(response.status, 200);
      assert.match(await response.text(), /"structuredContent"/);
    }
  });
});
