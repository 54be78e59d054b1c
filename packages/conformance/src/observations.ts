/** Parts of the script that several checks judge. Each runs once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { accepted, Failed, type Bench } from './bench.js';
import type { Ack, Flow, Hello } from '@perch/schema';
import type { Dial } from '@perch/link-server';

/** A robot that acks too soon does so within this time. */
const earlyMs = 700;
const lateTtlMs = 250;

export interface FirstPicture {
  ackedEarly: boolean;
  ack: Ack;
  /** A command whose turn came after its `ttl_ms`. */
  lateAcked: boolean;
}

/** A card whose last part is held back, while another command expires behind it. */
export async function observePicture(bench: Bench): Promise<FirstPicture> {
  const { command, stream, picture } = await bench.show('card', 'perch-1');
  const half = Math.ceil(picture.length / 2);
  await bench.sendPicture(stream, picture, 0, half);
  const late = await bench.send('robot', { command: 'perch_conformance', args: {} }, lateTtlMs);
  await sleep(earlyMs);
  const ackedEarly = bench.acks(command).length > 0;
  await bench.sendPicture(stream, picture, half);
  const ack = await bench.ack(command);
  // Its ack comes behind that of the late command, if there is one.
  await bench.run('robot', { command: 'perch_conformance', args: {} });
  return { ackedEarly, ack, lateAcked: bench.acks(late).length > 0 };
}

export interface Kept {
  before: Hello;
  after: Hello;
}

/** The connection moves (4009) while a card shows; another id is cleared before. */
export async function observeMove(bench: Bench): Promise<Kept & { waitMs: number }> {
  if (bench.offers('screen')) {
    await bench.shown('card', 'perch-2');
    await bench.run('screen.clear', { layer: 'card', id: 'perch-none' });
  }
  const before = bench.hello;
  const closedAt = performance.now();
  await bench.reconnect();
  return { before, after: bench.hello, waitMs: Math.round(bench.server.dials.at(-1)!.at - closedAt) };
}

/** The connection moves while half of a picture has arrived, and a question's time is over. */
export async function observeHalfPicture(bench: Bench): Promise<{ showing: Hello['showing']; next: Ack }> {
  accepted(await bench.run('screen.clear', { layer: 'card' }), 'screen.clear');
  await bench.shown('question', 'perch-question', { show_ms: 1000 });
  await sleep(2500);
  const { stream, picture } = await bench.show('card', 'perch-half');
  await bench.sendPicture(stream, picture, 0, Math.ceil(picture.length / 2));
  await bench.reconnect();
  const { showing } = bench.hello;
  const again = await bench.show('card', 'perch-3', { stream });
  await bench.sendPicture(stream, again.picture);
  return { showing, next: await bench.ack(again.command) };
}

export interface WholeSound {
  ackedEarly: boolean;
  /** Acked with 1.5 s, or a whole buffer, of the sound. */
  ackedInTime: boolean;
  ack: Ack;
  flows: Flow[];
  sent: number;
  bytes: number;
  end: string | null;
  /** How long it played, by its length. */
  playsMs: number;
}

/** Enough to begin, and time for a slow computer to send more. */
const beginningS = 1.5;

/** A sound that is longer than the buffer, on credit. */
export async function observeSound(bench: Bench): Promise<WholeSound> {
  const sound = await bench.play(bench.longSoundBytes);
  await sleep(earlyMs / 2);
  const ackedEarly = bench.acks(sound.id).length > 0;
  await bench.feed(sound, Math.min(bench.bytesOf(beginningS), bench.bufferBytes));
  const ackedInTime = (await bench.within(3000, () => bench.acks(sound.id)[0])) !== null;
  const end = await bench.feedToEnd(sound, bench.bufferBytes);
  const bytes = sound.pcm.length;
  const playsMs = (bytes / 2 / bench.rate) * 1000;
  return { ackedEarly, ackedInTime, ack: await bench.ack(sound.id), flows: bench.flows(sound.stream), sent: sound.sent, bytes, end, playsMs };
}

export interface Replaced {
  acks: Ack[];
  /** Reasons of `play_done`: for the replaced sound and for the stopped one. */
  ends: string[][];
}

/** A sound that another one replaces before its first sample, and which `audio.stop` ends. */
export async function observeReplaced(bench: Bench): Promise<Replaced> {
  const first = await bench.play(bench.bytesOf(3));
  const second = await bench.play(bench.bytesOf(3));
  await bench.feed(second, Math.min(bench.bytesOf(1.2), bench.bufferBytes));
  const acks = [await bench.ack(first.id), await bench.ack(second.id), await bench.run('audio.stop')];
  await bench.within(3000, () => [first, second].every(({ stream }) => bench.ends(stream).length > 0));
  return { acks, ends: [bench.ends(first.stream), bench.ends(second.stream)] };
}

/** The rest of a sound does not come. @returns how it ended, or null */
export async function observeUnderrun(bench: Bench): Promise<string | null> {
  const sound = await bench.play(bench.bytesOf(4));
  await bench.feed(sound, Math.min(bench.bytesOf(1.2), bench.bufferBytes));
  await bench.ack(sound.id);
  return bench.within(12_000, () => bench.ends(sound.stream)[0]);
}

export interface MovedSound {
  /** The sound had ended, or its buffer was empty, when the robot was back. */
  ended: boolean;
  playing: Hello['playing'];
  stream: number;
  flowed: boolean;
  end: string | null;
}

/** The connection moves while a sound plays, of which a whole buffer has arrived. */
export async function observeMovedSound(bench: Bench): Promise<MovedSound> {
  const sound = await bench.play(bench.longSoundBytes);
  const emptyAt = performance.now() + (bench.bufferBytes / 2 / bench.rate) * 1000;
  await bench.feed(sound, bench.bufferBytes);
  await bench.ack(sound.id);
  const before = bench.flows(sound.stream).length;
  const session = await bench.reconnect();
  const { playing } = bench.hello;
  const isOver = (): boolean => bench.ends(sound.stream).length > 0 || performance.now() >= emptyAt;
  const moved = { ended: isOver(), playing, stream: sound.stream };
  if (playing === undefined) return { ...moved, flowed: false, end: null };
  await bench.within(5000, () => session.of('flow').some(({ stream }) => stream === sound.stream));
  const flow = bench.flows(sound.stream).slice(before).at(-1);
  if (flow === undefined) return { ...moved, flowed: false, end: null };
  sound.sent = flow.received;
  return { ...moved, ended: isOver(), flowed: true, end: await bench.feedToEnd(sound, 0) };
}

const portals = [
  { status: 503, headers: { 'retry-after': '1' } },
  { status: 302, headers: { location: '/portal' } },
  { status: 401, headers: { 'www-authenticate': 'Bearer' } },
];

export interface Dials {
  before: Dial;
  dials: Dial[];
  /** From each end of a connection to the next dial. */
  waitsMs: number[];
  /** Requests for other than the link meanwhile, such as a pairing. */
  requests: string[];
}

/** The connection is cut, and others than the service answer the next dials. */
export async function observeDials(bench: Bench): Promise<Dials> {
  const { server } = bench;
  const session = await bench.session();
  const [count, sessions, requests] = [server.dials.length, server.sessions.length, server.requests.length];
  server.refusals.push(...portals);
  const cutAt = performance.now();
  session.socket.terminate();
  const back = await bench.within(150_000, () => server.sessions.slice(sessions).find(({ hello }) => hello !== null));
  const left = server.refusals.splice(0).length;
  if (back === null) throw new Failed(`the robot dialled ${portals.length - left} times, and has not connected again`);
  const dials = server.dials.slice(count);
  const waitsMs = dials.map(({ at }, nth) => Math.round(at - (dials[nth - 1]?.at ?? cutAt)));
  const asked = server.requests.slice(requests).map(({ request }) => request);
  return { before: server.dials[count - 1]!, dials, waitsMs, requests: asked };
}

/** Two pictures, a sound and a command, written at once. @returns their acks */
export async function observeTogether(bench: Bench): Promise<{ name: string; ack: Ack }[]> {
  const sent: { name: string; id: string }[] = [];
  for (const layer of ['perch-4', 'perch-5']) {
    const { command, stream, picture } = await bench.show('card', layer);
    await bench.sendPicture(stream, picture);
    sent.push({ name: 'screen.show', id: command });
  }
  if (bench.offers('speaker')) {
    const sound = await bench.play(bench.bytesOf(0.4));
    await bench.feed(sound, Math.min(sound.pcm.length, bench.bufferBytes));
    sent.push({ name: 'audio.play', id: sound.id });
  }
  sent.push({ name: 'screen.clear', id: await bench.send('screen.clear', { layer: 'card' }) });
  const acks: { name: string; ack: Ack }[] = [];
  for (const { name, id } of sent) acks.push({ name, ack: await bench.ack(id) });
  return acks;
}

export interface Touched {
  /** Null: nobody touched the screen. */
  point: { x: number; y: number; w: number; h: number } | null;
  quarter: string;
  /** Numbers of the inputs that were not acknowledged, of those that came again, and of those that came after the ack. */
  kept: number[];
  again: number[];
  afterAck: number[];
}

const personMs = 60_000;

/** The person taps the bright quarter; the inputs are acknowledged only after a reconnect. */
export async function observeTouch(bench: Bench): Promise<Touched> {
  const quarter = (['upper left', 'upper right', 'lower left', 'lower right'] as const)[Math.floor(Math.random() * 4)]!;
  const before = await bench.session();
  const seen = before.of('in').length;
  bench.withholdsInAcks = true;
  try {
    await bench.shown('card', 'perch-touch', {}, quarter);
    const up = await bench.within(personMs, () =>
      before
        .of('in')
        .slice(seen)
        .find(({ kind }) => kind === 'touch_up'),
    );
    const { w = 320, h = 240 } = bench.hello.screen ?? {};
    if (up === null) return { point: null, quarter, kept: [], again: [], afterAck: [] };
    const kept = before.of('in').slice(seen);
    const numbers = kept.map(({ seq }) => Number(seq));
    const next = await bench.reconnect();
    await bench.within(3000, () => next.of('in').length >= kept.length);
    const again = next.of('in').map(({ seq }) => Number(seq));
    for (const input of next.of('in')) bench.ackInput(next, input);
    bench.withholdsInAcks = false;
    await bench.ackSettled();
    const last = await bench.reconnect();
    await sleep(earlyMs);
    const afterAck = last.of('in').map(({ seq }) => Number(seq));
    return { point: { x: Number(up['x']), y: Number(up['y']), w, h }, quarter, kept: numbers, again, afterAck };
  } finally {
    bench.withholdsInAcks = false;
  }
}

/** A picture whose bytes do not have the announced checksum. */
export async function observeWrongCrc(bench: Bench): Promise<Ack> {
  const { command, stream, picture } = await bench.show('card', 'perch-broken', { crc32: 0 });
  if (crc32(picture) === 0) throw new Error('the picture has the checksum 0');
  await bench.sendPicture(stream, picture);
  return bench.ack(command);
}
