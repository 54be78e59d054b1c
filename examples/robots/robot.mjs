// A robot for Perch, written from docs/robot-link.md, without libraries: its screen is a folder. Node 20.15 or newer.
//
//   PERCH_ROBOT_TOKEN=... node robot.mjs ws://HOST/robot/v1/link FOLDER
//
// FOLDER gets card.png and question.png; a line `X Y` typed here is a touch.
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import process from 'node:process';
import { crc32 } from 'node:zlib';
import { dial } from './websocket.mjs';

const [url, folder] = process.argv.slice(2);
const token = process.env.PERCH_ROBOT_TOKEN;
const screen = { w: 320, h: 240, formats: ['png'], max_bytes: 98_304 };
const emotions = ['neutral', 'happy', 'angry', 'sad', 'doubt', 'sleepy'];
const bootId = randomBytes(4).toString('hex');
const layers = { card: null, question: null };
let emotion = 'neutral';
let questionTimer;
let dials = 0;
let attempt = 0;
let socket = null;
let welcomed = false;
let waiting = []; // commands, in their order
let pictures = new Map(); // what has arrived of each stream
let acks = []; // the last 32
let inputs = []; // those without an in_ack
let seq = 0;

/** A code of the document, and a sentence. */
class Refused extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const ms = () => Math.round(performance.now());
const send = (message) => welcomed && socket.send(message);

function connect() {
  dials += 1;
  const dialledAt = ms();
  let timers = [];
  let heardAt = ms();
  [welcomed, waiting, pictures] = [false, [], new Map()];
  const messages = {
    welcome(message) {
      welcomed = true;
      timers.push(setInterval(() => send({ t: 'ping' }), message.ping_ms));
      messages.in_ack({ seq: message.in_ack });
      for (const input of inputs) send(input);
    },
    ping: () => send({ t: 'pong' }),
    in_ack: (message) => (inputs = inputs.filter((input) => input.seq > message.seq)),
    cmd(command) {
      const done = acks.find(({ id }) => id === command.id);
      if (done) return send(done);
      if (waiting.some(({ id }) => id === command.id)) return;
      // The parts of a picture come now, whenever its turn is.
      pictures.set(command.args.stream, Buffer.alloc(0));
      waiting.push({ ...command, cameAt: ms() });
      runCommands();
    },
  };
  socket = dial(url, 'perch-link.v1', token, {
    opened() {
      timers = [setInterval(() => (ms() - heardAt > 45_000 ? socket.end() : runCommands()), 1000)];
      socket.send({
        t: 'hello',
        v: [1],
        model: 'folder',
        firmware: '1.0',
        boot_id: bootId,
        dial: dials,
        reason: dials === 1 ? 'start' : 'reconnect',
        screen,
        features: ['screen', 'touch', 'face', 'bubble'],
        showing: { ...layers, emotion },
      });
    },
    text(json) {
      heardAt = ms();
      const message = JSON.parse(json);
      // What the robot does not know, it ignores.
      if (Object.hasOwn(messages, message.t)) messages[message.t](message);
    },
    binary(frame) {
      heardAt = ms();
      const [stream, offset] = [frame.readUInt16BE(2), frame.readUInt32BE(4)];
      const before = pictures.get(stream);
      if (before?.length === offset) pictures.set(stream, Buffer.concat([before, frame.subarray(8)]));
      runCommands();
    },
    ended(code, pair) {
      for (const timer of timers) clearInterval(timer);
      welcomed = false;
      if (pair || code === 4003 || code === 4010) return stop(`ended with ${code}: another token or program is needed`);
      if (ms() - dialledAt > 60_000) attempt = 0;
      const waitS = code === 4009 ? Math.random() / 2 : code === 4001 ? 60 : Math.min(60, 2 ** attempt++) * (0.7 + 0.6 * Math.random());
      console.log(`ended with ${code}, dials in ${waitS.toFixed(1)} s`);
      setTimeout(connect, waitS * 1000);
    },
  });
}

/** One after the other: a picture that is not there yet stops all. */
function runCommands() {
  for (let command = waiting[0]; command; command = waiting[0]) {
    command.begunAt ??= ms();
    const answer = command.begunAt - command.cameAt > command.ttl_ms ? null : answerOf(command);
    if (answer === 'later') return;
    waiting.shift();
    pictures.delete(command.args.stream);
    if (answer === null) continue;
    const ack = { t: 'ack', id: command.id, ms: ms(), ...answer };
    acks = [...acks.slice(-31), ack];
    send(ack);
  }
}

function answerOf({ name, args, begunAt }) {
  try {
    const known = Object.hasOwn(commands, name);
    if (!known) throw new Refused('unknown', `no command ${name}`);
    if (commands[name](args) !== 'later') return { ok: true, result: {} };
    if (ms() - begunAt < 10_000) return 'later';
    throw new Refused('hardware', 'the picture did not come');
  } catch (error) {
    return { ok: false, code: error instanceof Refused ? error.code : 'hardware', error: error.message };
  }
}

const commands = {
  'screen.show'({ layer, id, stream, format, bytes, crc32: sum, show_ms: showMs }) {
    if (layer === 'question' && showMs === undefined) throw new Refused('bad_args', 'show_ms: a question needs it');
    if (format !== 'png' || bytes > screen.max_bytes) throw new Refused('bad_args', 'PNG, at most 98,304 bytes');
    const picture = pictures.get(stream);
    if (picture.length < bytes) return 'later';
    if (crc32(picture) !== sum) throw new Refused('bad_args', 'crc32: other bytes arrived');
    writeFileSync(join(folder, `${layer}.png`), picture);
    layers[layer] = id;
    console.log('shows', layer);
    if (layer === 'question') {
      clearTimeout(questionTimer);
      questionTimer = setTimeout(() => commands['screen.clear']({ layer, id }), showMs);
    }
  },
  'screen.clear'({ layer, id = layers[layer] }) {
    if (id === null || id !== layers[layer]) return;
    rmSync(join(folder, `${layer}.png`));
    layers[layer] = null;
  },
  face({ emotion: wanted = emotion }) {
    if (!emotions.includes(wanted)) throw new Refused('bad_args', `emotion: ${emotions.join(', ')}`);
    emotion = wanted;
    console.log('looks', emotion);
  },
  bubble({ text }) {
    if (layers.card !== null || layers.question !== null) throw new Refused('card_showing', 'a picture covers the face');
    console.log('says', text);
  },
};

function putIn(fields) {
  seq += 1;
  inputs.push({ t: 'in', seq, ...fields });
  send(inputs.at(-1));
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const [x, y] = line.split(' ').map(Number);
  putIn({ kind: 'touch_down', x, y, ms: Math.max(0, ms() - 90) });
  putIn({ kind: 'touch_up', x, y, ms: ms(), held_ms: 90 });
});

function stop(reason) {
  console.error(reason);
  process.exit(1);
}

connect();
