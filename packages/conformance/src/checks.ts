/** The checks of the conformance run: sentences of docs/robot-link.md, each with its section. A test holds them against the document. */
import { acceptReadings, limits, linkPath, linkProtocol, parsePairRequest, parseRobotMessage } from '@perch/schema';
import { accepted, Failed, refused, type Bench } from './bench.js';
import {
  observeDials,
  observeHalfPicture,
  observeMove,
  observeMovedSound,
  observePicture,
  observeReplaced,
  observeSound,
  observeTogether,
  observeTouch,
  observeUnderrun,
  observeWrongCrc,
} from './observations.js';
import type { Message } from '@perch/link-server';

export type Outcome =
  | 'passed'
  | 'failed'
  /** The robot does not offer it, or it needs a person. */
  | 'skipped'
  /** It did not happen while the script ran. */
  | 'not_seen';

export interface CheckResult {
  section: string;
  check: string;
  sentence: string;
  outcome: Outcome;
  detail: string;
}

export interface Check {
  /** Heading of the document. */
  section: string;
  check: string;
  /** As the document has it. */
  sentence: string;
  features?: readonly string[];
  person?: true;
  /** Judges all that was received, after the script. */
  atTheEnd?: true;
  /** @returns the detail of a success @throws {Failed} @throws {NotSeen} */
  run: (bench: Bench) => Promise<string> | string;
}

export class NotSeen extends Error {}

const [transport, hello, commands, media, order, never, unreadable, updates, sensors, input, life, own] = [
  'Transport and identity',
  'Hello',
  'Commands',
  'Media',
  'In which order, and after a reconnect',
  'What is never done',
  'What cannot be read',
  'Updates',
  'Sensors',
  'Input',
  'Life and death of a session',
  "The robot's own commands",
] as const;

/** The welcome of the run: short, so that a run sees some pings. */
export const pingMs = 2000;
const unknownCommand = { command: 'perch_conformance', args: {} };
const rememberedIds = 32;
/** Without faults a dial after 4009 comes within 0.5 s; the rest is time for the network and TLS. */
const movedWithinMs = 5000;
/** At the shortest: 1, 2 and 4 s, each less 30 %. */
const waitsMinMs = [700, 1400, 2800];

function need(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new Failed(problem);
}

/** Does one harmless thing for each feature. */
const harmless: Record<string, [name: string, args: Record<string, unknown>][]> = {
  face: [
    ['face', { emotion: 'happy' }],
    ['face', { emotion: 'neutral', view: 'face' }],
  ],
  bubble: [['bubble', { text: 'Hello', seconds: 1 }]],
  leds: [
    ['leds.set', { pixels: Array.from({ length: 12 }, (_, index) => (index < 6 ? '#200000' : '#002000')) }],
    ['leds.effect', { name: 'breathe', color: '#000020', speed: 1, seconds: 1 }],
    ['leds.set', { pixels: Array.from({ length: 12 }, () => '#000000') }],
  ],
  head: [['head.gesture', { name: 'home' }]],
};

async function acceptAll(bench: Bench, feature: string): Promise<string> {
  const sent = harmless[feature]!;
  for (const [name, args] of sent) accepted(await bench.run(name, args), name);
  return sent.map(([name]) => name).join(', ');
}

/** Messages of all connections. */
function* received(bench: Bench): Generator<{ message: Message; text: string }> {
  for (const session of bench.server.sessions)
    for (const [index, message] of session.messages.entries()) yield { message, text: session.texts[index]! };
}

export const checks: readonly Check[] = [
  {
    section: transport,
    check: 'dials the link with its subprotocol',
    atTheEnd: true,
    sentence: 'The robot dials `wss://HOST/robot/v1/link` with subprotocol `perch-link.v1`.',
    run({ server: { dials } }) {
      const odd = dials.find(({ url, protocols }) => url.split('?')[0] !== linkPath || !protocols.includes(linkProtocol));
      need(odd === undefined, `it dialled ${odd?.url} with the subprotocols ${odd?.protocols.join(', ') || 'none'}`);
      return `${dials.length} dial(s)`;
    },
  },
  {
    section: transport,
    check: 'has no token in the address',
    atTheEnd: true,
    sentence: 'A token in the URL is refused.',
    run({ server: { dials } }) {
      need(!dials.some(({ url }) => url.includes('?')), 'the address has a query');
      return 'no query';
    },
  },
  {
    section: transport,
    check: 'pairs when the service tells it to',
    atTheEnd: true,
    sentence:
      'A bad token is HTTP 401 before the upgrade, with the header `Perch-Link: pair`: the robot has to [pair](#from-the-box-to-the-first-hello).',
    run({ server: { requests, dials } }) {
      const asked = requests.find(({ request }) => request === 'POST /robot/v1/pair');
      if (asked === undefined && dials[0]?.token !== null) throw new NotSeen('the robot came with a token');
      need(asked !== undefined, 'it asked for no code');
      need(asked.contentType.startsWith('application/json'), `Content-Type: ${asked.contentType}`);
      const body = parsePairRequest(JSON.parse(asked.body));
      need(!('problem' in body), 'problem' in body ? body.problem : '');
      need(dials.at(-1)!.token === 'rt_conformance', 'it does not send the token that it got');
      return `as ${body.serial}`;
    },
  },
  {
    section: transport,
    check: 'polls at the interval',
    atTheEnd: true,
    sentence: 'It polls `POST /robot/v1/pair/token {device_code}` every `interval` s',
    run({ server: { requests } }) {
      const asked = requests.filter(({ request }) => request.startsWith('POST /robot/v1/pair'));
      if (asked.length === 0) throw new NotSeen('the robot came with a token');
      const gaps = asked.slice(1).map(({ at }, index) => Math.round(at - asked[index]!.at));
      // The first poll may come at once; the one after `authorization_pending` not before 3 s.
      need((gaps[1] ?? 0) >= 2900, `${gaps[1] ?? 'no'} ms after authorization_pending, the interval was 3 s`);
      return `${gaps[1]} ms`;
    },
  },
  {
    section: transport,
    check: 'ignores what it does not know',
    sentence: 'Unknown fields and unknown `t` are ignored.',
    async run(bench) {
      const session = await bench.session();
      session.send({ t: 'perch_tomorrow', id: 'c1', name: 'face' });
      const id = bench.nextId();
      session.send({ t: 'cmd', id, name: 'robot', args: unknownCommand, ttl_ms: 5000, tomorrow: { x: [1] } });
      await bench.ack(id);
      need(session.closeCode === null, `the connection was closed with ${session.closeCode}`);
      return 'the session goes on';
    },
  },
  {
    section: hello,
    check: 'speaks first',
    atTheEnd: true,
    sentence: 'The robot speaks first, within 10 s:',
    run({ server: { sessions } }) {
      const firsts = sessions.filter(({ messages }) => messages.length > 0);
      const odd = firsts.find(({ messages }) => messages[0]!.t !== 'hello');
      need(odd === undefined, `its first message is ${odd?.messages[0]?.t}`);
      const longest = Math.round(Math.max(...firsts.map(({ arrivals, openedAt }) => arrivals[0]! - openedAt)));
      need(longest <= limits.link.helloMs, `its hello came after ${longest} ms`);
      return `within ${longest} ms`;
    },
  },
  {
    section: hello,
    check: 'fits the table',
    atTheEnd: true,
    sentence: '| hello field | type and values | required |',
    run(bench) {
      for (const { message, text } of received(bench)) {
        if (message.t !== 'hello') continue;
        const parsed = parseRobotMessage(text);
        need(!('problem' in parsed), 'problem' in parsed ? parsed.problem : '');
      }
      return `${bench.hello.model}, ${bench.hello.firmware}`;
    },
  },
  {
    section: hello,
    check: 'describes the parts that it offers',
    sentence: '`screen`, `audio`, `leds`, `commands`, `showing` and each of its fields are left out by a robot that has none.',
    run(bench) {
      const { screen, audio, leds } = bench.hello;
      const parts = { screen, speaker: audio, leds };
      for (const [feature, part] of Object.entries(parts))
        need(!bench.offers(feature) || part !== undefined, `it offers ${feature} and does not say what it has of it`);
      return bench.hello.features.join(', ');
    },
  },
  {
    section: hello,
    check: 'counts its connections',
    sentence: "`boot_id` changes at every boot; `dial` counts the robot's connections since then",
    async run(bench) {
      await bench.once(observeMove);
      const hellos = bench.server.sessions.flatMap((session) => (session.hello === null ? [] : [session.hello]));
      for (const [index, { boot_id: boot, dial, reason }] of hellos.entries()) {
        const before = hellos[index - 1];
        if (before === undefined || before['boot_id'] !== boot) continue;
        need(Number(dial) > Number(before['dial']), `dial ${String(dial)} after ${String(before['dial'])} in the same boot`);
        need(reason === 'reconnect', `reason ${String(reason)} at a reconnect in the same boot`);
      }
      need(new Set(hellos.map((each) => each['boot_id'])).size === 1, 'another boot_id at a reconnect');
      return `dial ${String(hellos.at(-1)?.['dial'])}`;
    },
  },
  {
    section: hello,
    check: 'sends one hello in a session',
    atTheEnd: true,
    sentence: 'a second `hello` in a session does not fit',
    run({ server: { sessions } }) {
      need(
        sessions.every((session) => session.of('hello').length <= 1),
        'two hellos in one session',
      );
      return 'one each';
    },
  },
  {
    section: commands,
    check: 'answers each command once',
    atTheEnd: true,
    sentence:
      '`{"t":"cmd","id":"c42","name":"head.move","args":{"yaw":20},"ttl_ms":5000}` is answered by `{"t":"ack","id":"c42","ms":81200,"ok":true,"result":{}}`',
    async run(bench) {
      await bench.ackSettled();
      const repeated = bench.server.sessions.flatMap((session) => {
        const ids = session.of('ack').map(({ id }) => id);
        return ids.filter((id, index) => ids.indexOf(id) !== index && !bench.repeatedIds.has(String(id)));
      });
      need(repeated.length === 0, `${repeated.length} command(s) were answered more than once, the first is ${String(repeated[0])}`);
      return 'one ack each';
    },
  },
  {
    section: commands,
    check: 'runs commands in order',
    sentence: 'At most 4 are in flight per robot and they run in order',
    async run(bench) {
      const sent: string[] = [];
      for (let nth = 0; nth < limits.link.inFlightMax; nth += 1) sent.push(await bench.send('robot', unknownCommand));
      for (const id of sent) await bench.ack(id);
      const session = await bench.session();
      const acked = [...new Set(session.of('ack').map(({ id }) => String(id)))].filter((id) => sent.includes(id));
      need(acked.join() === sent.join(), `acked in the order ${acked.map((id) => sent.indexOf(id) + 1).join(', ')}`);
      return '4 at once';
    },
  },
  {
    section: commands,
    check: 'answers a repeat with the same ack',
    sentence: 'The robot remembers the last 32 ids and answers a repeat with the same ack.',
    async run(bench) {
      const session = await bench.session();
      const args = unknownCommand;
      const id = await bench.send('robot', args);
      const first = JSON.stringify(await bench.ack(id));
      for (let nth = 1; nth < rememberedIds; nth += 1) await bench.run('robot', args);
      const before = session.acks(id).length;
      bench.repeatedIds.add(id);
      session.cmd('robot', args, { id });
      const again = await bench.within(6000, () => session.acks(id)[before]);
      need(again !== null, 'a repeat is not answered');
      const second = parseRobotMessage(JSON.stringify(again));
      need(JSON.stringify(second) === first, `the first ack was ${first}, that of the repeat ${JSON.stringify(second)}`);
      return `after ${rememberedIds - 1} others`;
    },
  },
  {
    section: commands,
    check: 'drops a command that is too late',
    sentence: 'A command not begun within `ttl_ms` is dropped.',
    features: ['screen'],
    async run(bench) {
      const { lateAcked } = await bench.once(observePicture);
      need(!lateAcked, 'a command with ttl_ms 250 that waited for a picture for 700 ms was acked');
      return 'no ack';
    },
  },
  {
    section: commands,
    check: 'acks a picture once it is on the screen',
    sentence: 'the picture follows as binary parts; acked once it is on the screen',
    features: ['screen'],
    async run(bench) {
      const { ackedEarly, ack } = await bench.once(observePicture);
      need(!ackedEarly, 'it was acked before its last part was sent');
      accepted(ack, 'screen.show');
      return 'after its last part';
    },
  },
  {
    section: commands,
    check: 'wants a time for a question',
    sentence: '`show_ms?` (obligatory on a question: the time left + 2 s, after which it takes itself away)',
    features: ['screen'],
    async run(bench) {
      const { command, stream, picture } = await bench.show('question', 'perch-q', { show_ms: undefined });
      await bench.sendPicture(stream, picture);
      refused(await bench.ack(command), ['bad_args'], 'a question without show_ms');
      const { showing } = await bench.once(observeHalfPicture);
      need(showing.question === null, `its question of 1 s still shows after 2.5 s: ${showing.question}`);
      return 'a question of 1 s is gone';
    },
  },
  {
    section: commands,
    check: 'clears the picture that is named',
    sentence: '`layer`, `id?` (only if that picture shows)',
    features: ['screen'],
    async run(bench) {
      const { after } = await bench.once(observeMove);
      need(after.showing.card === 'perch-2', `after clearing another id, showing.card is ${after.showing.card}, not perch-2`);
      const { showing } = await bench.once(observeHalfPicture);
      need(showing.card === null, `after clearing the card, showing.card is ${showing.card}`);
      return 'by its id';
    },
  },
  {
    section: commands,
    check: 'shows faces',
    sentence: '| `face` | `emotion?`, `view?` (strings, which later hellos repeat in `showing`) | face |',
    features: ['face'],
    run: (bench) => acceptAll(bench, 'face'),
  },
  {
    section: commands,
    check: 'shows a bubble',
    sentence: '| `bubble` | `text`, `seconds`;',
    features: ['bubble'],
    async run(bench) {
      if (bench.offers('screen')) {
        for (const layer of ['card', 'question']) await bench.run('screen.clear', { layer });
      }
      return acceptAll(bench, 'bubble');
    },
  },
  {
    section: commands,
    check: 'lights its LEDs',
    sentence: '| `leds.set` | `pixels`: 12 x `#rrggbb`',
    features: ['leds'],
    run: (bench) => acceptAll(bench, 'leds'),
  },
  {
    section: commands,
    check: 'moves its head, and says to where',
    sentence: 'acked when accepted, with the clamped target',
    features: ['head'],
    async run(bench) {
      const { yaw, pitch } = accepted(await bench.run('head.move', { yaw: 15, pitch: 30 }), 'head.move');
      need(typeof yaw === 'number' && typeof pitch === 'number', 'the result has no numbers yaw and pitch');
      await acceptAll(bench, 'head');
      return `to ${yaw}, ${pitch}`;
    },
  },
  {
    section: media,
    check: 'starts with 1 s of a sound',
    sentence: 'The robot starts to play with 1 s buffered or the last part in.',
    features: ['speaker'],
    async run(bench) {
      const { ackedInTime, ackedEarly } = await bench.once(observeSound);
      need(ackedInTime, 'no ack within 3 s of the first 1.5 s of a sound');
      need(!ackedEarly, 'the sound was acked, which is its first sample, before a sample was sent');
      return 'acked at its first sample';
    },
  },
  {
    section: media,
    check: 'reports the flow of a sound',
    sentence: 'at least every 250 ms while playing',
    features: ['speaker'],
    async run(bench) {
      const { flows, playsMs } = await bench.once(observeSound);
      // Half as many count as enough: a computer under load sends some of them late.
      const enough = Math.floor(playsMs / 500);
      need(flows.length >= enough, `${flows.length} flow messages in a sound of ${Math.round(playsMs)} ms`);
      return `${flows.length} in ${Math.round(playsMs)} ms`;
    },
  },
  {
    section: media,
    check: 'gives credit back',
    sentence: '`received + free` never goes down, and what has been played is free again.',
    features: ['speaker'],
    async run(bench) {
      const { flows, sent, bytes, end } = await bench.once(observeSound);
      let given = bench.bufferBytes;
      for (const { received: got, free } of flows) {
        need(got + free >= given, `a flow of ${got} + ${free} bytes takes back credit that was given up to ${given}`);
        given = got + free;
      }
      need(sent === bytes, `credit ended at ${sent} of ${bytes} bytes (the sound ended with ${end ?? 'nothing'})`);
      return `${bytes} bytes through a buffer of ${bench.bufferBytes}`;
    },
  },
  {
    section: media,
    check: 'says that a sound is over',
    sentence: 'The end is `{"t":"play_done","stream":7,"reason":"end|stopped|underrun"}`.',
    features: ['speaker'],
    async run(bench) {
      const { end } = await bench.once(observeSound);
      need(end !== null, 'no play_done');
      need(end === 'end', `a sound of which all parts were sent ended with ${end}`);
      return end;
    },
  },
  {
    section: media,
    check: 'ends a sound whose rest does not come',
    sentence: 'if its parts come too late, the robot ends it with `underrun` as any other',
    features: ['speaker'],
    async run(bench) {
      const end = await bench.once(observeUnderrun);
      need(end === 'underrun', `a sound of 4 s of which 1.2 s were sent ended with ${end ?? 'nothing within 12 s'}`);
      return end;
    },
  },
  {
    section: media,
    check: 'plays a sound of unknown length',
    sentence: 'A sound without `bytes` ends with the part that has the flag last, which may be empty',
    features: ['speaker', 'open_sound'],
    async run(bench) {
      const sound = await bench.play(bench.bytesOf(0.6), { bytes: undefined });
      await bench.feed(sound, Math.min(sound.pcm.length, bench.bufferBytes));
      accepted(await bench.ack(sound.id), 'audio.play without bytes');
      const end = await bench.feedToEnd(sound, bench.bufferBytes);
      need(end === 'end', `it ended with ${end ?? 'nothing'}`);
      return end;
    },
  },
  {
    section: order,
    check: 'takes parts before the turn of their command',
    sentence: '**Note the stream when the command arrives**, not when its turn comes.',
    features: ['screen'],
    async run(bench) {
      const acks = await bench.once(observeTogether);
      for (const { name, ack } of acks) accepted(ack, `${name}, written at once with others,`);
      return acks.map(({ name }) => name).join(', ');
    },
  },
  {
    section: order,
    check: 'discards the parts of a command that it refuses',
    sentence: 'A robot also receives the parts of a command that it refuses or drops, and discards them.',
    features: ['screen'],
    async run(bench) {
      const { command, stream, picture } = await bench.show('card', 'perch-tiff', { format: 'tiff' });
      await bench.sendPicture(stream, picture);
      refused(await bench.ack(command), ['bad_args'], 'a picture of the format tiff');
      await bench.shown('card', 'perch-6');
      return 'the next picture shows';
    },
  },
  {
    section: order,
    check: 'names what it shows after a reconnect',
    sentence: 'What was acked stays on the screen and is named in `showing`.',
    features: ['screen'],
    async run(bench) {
      const { after } = await bench.once(observeMove);
      need(after.showing.card === 'perch-2', `showing.card is ${after.showing.card}, the card perch-2 was acked`);
      return 'perch-2';
    },
  },
  {
    section: order,
    check: 'forgets half a picture at a reconnect',
    sentence: '**After a reconnect** pictures that had not arrived completely are lost',
    features: ['screen'],
    async run(bench) {
      const { showing, next } = await bench.once(observeHalfPicture);
      need(showing.card !== 'perch-half', 'showing.card names a picture of which half was sent');
      accepted(next, 'the next picture, with the same number of a stream,');
      return 'the same stream shows another picture';
    },
  },
  {
    section: order,
    check: 'plays on after a reconnect',
    sentence: 'A sound that plays goes on if the hello names it in `playing`.',
    features: ['speaker'],
    async run(bench) {
      const { ended, playing, stream, end, flowed } = await bench.once(observeMovedSound);
      if (ended) throw new NotSeen('the buffer was empty before the robot was back');
      need(playing !== undefined, 'the hello does not name the sound');
      need(playing.stream === stream, `playing.stream is ${playing.stream}, it was ${stream}`);
      need(!flowed || end === 'end', `the sound ended with ${end ?? 'nothing'}`);
      return `from ${playing.received} bytes on`;
    },
  },
  {
    section: order,
    check: 'sends a flow after the welcome',
    sentence: 'send a `flow` right after `welcome`',
    features: ['speaker'],
    async run(bench) {
      const { playing, flowed } = await bench.once(observeMovedSound);
      if (playing === undefined) throw new NotSeen('no sound played after the reconnect');
      need(flowed, 'no flow within 5 s');
      return 'it came';
    },
  },
  {
    section: order,
    check: 'acks a sound that another one replaces',
    sentence: 'is acked all the same, with `ok`',
    features: ['speaker'],
    async run(bench) {
      const { acks } = await bench.once(observeReplaced);
      accepted(acks[0]!, 'a sound that another one replaced before its first sample');
      accepted(acks[1]!, 'the sound that replaced it');
      return 'ok';
    },
  },
  {
    section: order,
    check: 'ends replaced and stopped sounds with stopped',
    sentence: 'Each ended sound also gets its `play_done`, with `stopped`',
    features: ['speaker'],
    async run(bench) {
      const { acks, ends } = await bench.once(observeReplaced);
      accepted(acks[2]!, 'audio.stop');
      for (const [nth, end] of ends.entries())
        need(end.join() === 'stopped', `the ${nth === 0 ? 'replaced' : 'stopped'} sound got ${end.join(' and ') || 'no play_done'}`);
      return 'both';
    },
  },
  {
    section: order,
    check: 'refuses a bubble under a card',
    sentence: '**A bubble** that comes while a card or question shows is refused with `card_showing`, and does not show later.',
    features: ['bubble', 'screen'],
    async run(bench) {
      await bench.shown('card', 'perch-7');
      const ack = await bench.run('bubble', { text: 'Hello', seconds: 1 });
      await bench.run('screen.clear', { layer: 'card' });
      refused(ack, ['card_showing'], 'a bubble under a card');
      return 'card_showing';
    },
  },
  {
    section: order,
    check: 'refuses what it does not have',
    sentence: '| `unknown` | a command that the robot does not have, or whose feature it did not offer | `not_offered` |',
    async run(bench) {
      refused(await bench.run('robot', unknownCommand), ['unknown'], 'the command perch_conformance');
      refused(await bench.run('perch.conformance'), ['unknown'], 'perch.conformance');
      const missing = Object.entries(harmless).find(([feature]) => !bench.offers(feature));
      if (missing !== undefined) refused(await bench.run(...missing[1][0]!), ['unknown'], `${missing[1][0]![0]}, which it does not offer,`);
      return 'unknown';
    },
  },
  {
    section: order,
    check: 'refuses a picture with another checksum',
    sentence: 'a picture whose bytes do not have its `crc32`',
    features: ['screen'],
    async run(bench) {
      refused(await bench.once(observeWrongCrc), ['bad_args'], 'a picture with the crc32 of another');
      return 'bad_args';
    },
  },
  {
    section: order,
    check: 'refuses arguments that do not fit',
    sentence: '| `bad_args` | arguments that do not fit; a format, rate or size that the hello did not offer;',
    async run(bench) {
      const wrong: [feature: string, name: string, args: Record<string, unknown>][] = [
        ['face', 'face', { emotion: 5 }],
        ['leds', 'leds.set', { pixels: ['red'] }],
        ['head', 'head.gesture', { name: 'perch' }],
        ['speaker', 'audio.play', { stream: bench.nextStream(), id: 'perch', format: 'pcm_s16le', rate: 12_345, bytes: 2 }],
      ];
      const sent = wrong.filter(([feature]) => bench.offers(feature));
      if (sent.length === 0) throw new NotSeen('the robot offers no command with arguments that could be wrong');
      for (const [, name, args] of sent) refused(await bench.run(name, args), ['bad_args'], `${name} with ${JSON.stringify(args)}`);
      return sent.map(([, name]) => name).join(', ');
    },
  },
  {
    section: order,
    check: 'dials on where another than the service answers',
    sentence: 'dials on, follows no redirect, keeps its token',
    async run(bench) {
      const { before, dials, requests } = await bench.once(observeDials);
      need(
        dials.every(({ url }) => url === before.url),
        'it followed the redirect',
      );
      need(
        dials.every(({ token }) => token === before.token),
        'it came with another token',
      );
      const asked = requests.filter((request) => request.startsWith('POST') || request.includes('/portal'));
      need(asked.length === 0, `it sent ${asked[0]}`);
      return dials.map(({ refused: status }) => status ?? 101).join(', ');
    },
  },
  {
    section: never,
    check: 'sends text alone',
    atTheEnd: true,
    sentence: 'The robot never sends binary frames',
    run({ server: { sessions } }) {
      const count = sessions.reduce((sum, session) => sum + session.binaryFrames, 0);
      need(count === 0, `${count} binary frame(s)`);
      return 'none';
    },
  },
  {
    section: never,
    check: 'keeps its frames small',
    atTheEnd: true,
    sentence: 'one message is one unfragmented text frame of at most 16 KB',
    run(bench) {
      let longest = 0;
      for (const { text } of received(bench)) longest = Math.max(longest, Buffer.byteLength(text));
      need(longest <= limits.link.textBytesMax, `a frame of ${longest} bytes`);
      return `at most ${longest} bytes`;
    },
  },
  {
    section: never,
    check: 'has a clock that goes forward',
    atTheEnd: true,
    sentence: '`ms` counts from the boot and never wraps',
    run({ server: { sessions } }) {
      let last = 0;
      const seen = new Set<unknown>();
      for (const session of sessions)
        for (const { id, ms } of session.of('ack')) {
          if (seen.has(id)) continue;
          seen.add(id);
          need(Number(ms) >= last, `an ack of ${String(ms)} ms came after one of ${last}`);
          last = Number(ms);
        }
      return `${Math.round(last)} ms`;
    },
  },
  {
    section: unreadable,
    check: 'sends what can be read',
    atTheEnd: true,
    sentence: 'An `ack`, `sensors`, `flow`, `play_done`, `log` or `update_failed` that does not fit is dropped and counted.',
    run(bench) {
      let count = 0;
      for (const { text } of received(bench)) {
        count += 1;
        const message = parseRobotMessage(text);
        // Messages of which some fields do not fit have a problem, too.
        need(!('problem' in message), 'problem' in message ? `${message.problem}: ${text.slice(0, 200)}` : '');
      }
      return `${count} messages`;
    },
  },
  {
    section: updates,
    check: 'installs nothing that was not offered',
    sentence: 'The robot acks once it begins, or refuses: `bad_args` for a version that was not offered',
    async run(bench) {
      // A robot that cannot be updated has no such command.
      refused(await bench.run('update', { version: 'perch-conformance' }), ['bad_args', 'unknown'], 'an update that was not offered');
      return 'refused';
    },
  },
  {
    section: sensors,
    check: 'reports readings by their names and ranges',
    atTheEnd: true,
    sentence:
      'Known names, with the unit in the name (a value outside its range, or a name not listed, is dropped and counted, never an error that ends the session):',
    run(bench) {
      const names = new Set<string>();
      for (const { message } of received(bench)) {
        if (message.t !== 'sensors') continue;
        const values = (message['values'] ?? {}) as Record<string, unknown>;
        acceptReadings(values, {}, (name, reason) => {
          throw new Failed(`${name} ${JSON.stringify(values[name])}: ${reason}`);
        });
        for (const name of Object.keys(values)) names.add(name);
      }
      if (names.size === 0) throw new NotSeen('the robot reported no readings');
      return `${names.size} names`;
    },
  },
  {
    section: input,
    check: 'numbers its inputs',
    atTheEnd: true,
    sentence: '`seq` counts from 1 per `boot_id`.',
    run({ server: { sessions } }) {
      const highest = new Map<unknown, number>();
      let count = 0;
      for (const session of sessions) {
        const boot = session.hello?.['boot_id'];
        const inSession = new Set<number>();
        for (const { seq: number } of session.of('in')) {
          const seq = Number(number);
          const last = highest.get(boot) ?? 0;
          // The first input that was seen may have others before it: the boot is older than the run.
          need(last === 0 || seq <= last + 1, `number ${seq} after ${last}`);
          need(!inSession.has(seq), `number ${seq} twice in one session`);
          inSession.add(seq);
          highest.set(boot, Math.max(last, seq));
          count += 1;
        }
      }
      if (count === 0) throw new NotSeen('no input');
      return `${count} inputs`;
    },
  },
  {
    section: input,
    check: 'shows a picture, and reports a touch where it is',
    sentence: '`x`, `y`: numbers, screen pixels',
    features: ['screen', 'touch'],
    person: true,
    async run(bench) {
      const { point, quarter } = await bench.once(observeTouch);
      if (point === null) throw new NotSeen('nobody touched the screen within 60 s');
      const { x, y, w, h } = point;
      const touched = `${y < h / 2 ? 'upper' : 'lower'} ${x < w / 2 ? 'left' : 'right'}`;
      need(touched === quarter, `the ${quarter} quarter was bright, the touch is at ${x}, ${y}`);
      return `${x}, ${y}`;
    },
  },
  {
    section: input,
    check: 'keeps inputs until they are acknowledged',
    sentence: 'the robot keeps what is not acked (at least 64) and sends it again after a reconnect',
    features: ['screen', 'touch'],
    person: true,
    async run(bench) {
      const { point, kept, again, afterAck } = await bench.once(observeTouch);
      if (point === null) throw new NotSeen('nobody touched the screen within 60 s');
      need(
        kept.every((seq) => again.includes(seq)),
        `inputs ${kept.join(', ')} were not acknowledged, after a reconnect came ${again.join(', ') || 'none'}`,
      );
      const repeated = afterAck.filter((seq) => again.includes(seq));
      need(repeated.length === 0, `input ${repeated.join(', ')} came once more after its in_ack`);
      return `${kept.length} inputs`;
    },
  },
  {
    section: life,
    check: 'answers pings, and pings',
    sentence: '`{"t":"ping"}` / `{"t":"pong"}` at the application level every `ping_ms` each way',
    async run(bench) {
      const session = await bench.session();
      session.send({ t: 'ping' });
      need((await bench.within(5000, () => session.of('pong').length > 0)) !== null, 'no pong within 5 s');
      const pinged = await bench.within(4 * pingMs, () => session.of('ping').length > 0);
      need(pinged !== null, `no ping in ${(4 * pingMs) / 1000} s, ping_ms was ${pingMs}`);
      return 'both';
    },
  },
  {
    section: life,
    check: 'comes back at once where the service moves it',
    sentence: '4009 another instance is to take the robot over (reconnect at once, 0-0.5 s jitter)',
    async run(bench) {
      const { waitMs } = await bench.once(observeMove);
      need(waitMs <= movedWithinMs, `it dialled ${waitMs} ms after 4009`);
      return `${waitMs} ms`;
    },
  },
  {
    section: life,
    check: 'waits longer before each dial',
    sentence: 'On every code but 4003 and 4010 the robot reconnects: 1, 2, 4 ... 60 s, each +-30 %, reset after 60 s of calm',
    async run(bench) {
      const { waitsMs } = await bench.once(observeDials);
      for (const [nth, min] of waitsMinMs.entries())
        need(waitsMs[nth]! >= min, `dial ${nth + 1} came after ${waitsMs[nth]} ms, ${min} ms is the least`);
      return `${waitsMs.join(', ')} ms`;
    },
  },
  {
    section: own,
    check: 'refuses wrong arguments of its own commands',
    sentence: 'only those the robot declared, with arguments that fit their schema',
    async run(bench) {
      const strict = bench.hello.commands.find(
        ({ class: kind, args }) => kind === 'program' && Array.isArray(args?.['required']) && args['required'].length > 0,
      );
      if (strict === undefined) throw new NotSeen('no command of its own that needs an argument');
      refused(await bench.run('robot', { command: strict.name, args: {} }), ['bad_args'], `${strict.name} without arguments`);
      return strict.name;
    },
  },
];
