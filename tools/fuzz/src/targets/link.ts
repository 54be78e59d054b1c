/** Invalid handshakes, hellos, messages and frames: each session continues or closes as robot-link.md says; other robots are not affected. */
import fc from 'fast-check';
import { drive, type Problem } from '../drive.js';
import { exchangeRaw } from '../http/raw-exchange.js';
import { shownShape } from '../http/shape.js';
import { envelopeProblem } from '../answer-problems.js';
import { textFrame } from '../link/frames.js';
import { handshakes, type Handshake } from '../link/handshakes.js';
import { endOf, linkShapes, messagesFromRobot, messageTexts, type LinkShape } from '../link/link-shapes.js';
import { LinkSession } from '../link/link-session.js';
import { secret } from '../fuzz-system.js';
import type { Attack, Target } from './target.js';

export const linkTarget: Target = { name: 'link', group: 'link', share: 0.14, attack: attackLink };

/** A robot may connect 100 times in 10 s. */
export const linkRobots = 72;
/** Tokens of these robots are used in handshakes only. */
const handshakeRobots = 12;
const inFlight = 8;
/** A session allows 500 messages at once and 100 a second. */
const usesMax = 25;
const pingFrame = textFrame('{"t":"ping"}');

type Sent = { first: boolean; shape: LinkShape } | { handshake: Handshake; from: number };

let spareRobots: { id: string; token: string }[] | null = null;

async function attackLink({ system, tally, seed, requests, log }: Attack): Promise<null> {
  const address = system.link();
  const port = Number(new URL(address).port);
  spareRobots ??= await system.moreRobots(linkRobots);
  const robots = spareRobots.slice(handshakeRobots);
  const idle: { session: LinkSession; robotSeed: (typeof robots)[number] }[] = [];
  const messages = messagesFromRobot();
  let boots = 0;
  log(`link: ${requests}`);

  async function welcomed(): Promise<(typeof idle)[number]> {
    const waiting = idle.pop();
    if (waiting !== undefined) return waiting;
    const robotSeed = robots.shift();
    if (robotSeed === undefined) throw new Error('no robot is free');
    const hello = messages.find(({ name }) => name === 'hello')!.example;
    const session = await LinkSession.dial(address, robotSeed.token);
    const end = await session.write(textFrame(JSON.stringify({ ...hello, boot_id: `boot-${seed}-${boots++}`, reason: 'reconnect' })), 'welcome');
    if (end !== 'goes on') throw new Error(`no welcome: ${end}`);
    return { session, robotSeed };
  }

  /** The pong shows that the session continues. */
  async function afterWelcome({ bytes, flood = false }: LinkShape): Promise<string | number> {
    const held = await welcomed();
    const end = await held.session.write(Buffer.concat([bytes, pingFrame]), flood ? 'nothing' : 'pong');
    // A ping in the shape has a pong of its own, which the next shape must not count.
    if (end === 'goes on' && !bytes.includes('ping') && ++held.session.uses < usesMax) idle.push(held);
    else {
      await held.session.close();
      robots.push(held.robotSeed);
    }
    return end;
  }

  async function asHello({ bytes }: LinkShape): Promise<string | number> {
    const robotSeed = robots.shift();
    if (robotSeed === undefined) throw new Error('no robot is free');
    const session = await LinkSession.dial(address, robotSeed.token);
    const end = await session.write(bytes, 'welcome');
    await session.close();
    robots.push(robotSeed);
    return end;
  }

  async function send(sent: Sent): Promise<Problem | null> {
    tally.sent('link');
    if ('handshake' in sent) return shake(sent.handshake, sent.from);
    const { first, shape } = sent;
    const end = first ? await asHello(shape) : await afterWelcome(shape);
    tally.answered('link', String(end));
    if (shape.ends.includes(end as number)) return null;
    return {
      what: `${first ? 'hello, ' : ''}${shape.what}: ${end}, not ${shape.ends.join(' or ')}`,
      request: `frames, after ${first ? 'the upgrade' : 'the welcome'}: ${JSON.stringify(shape.bytes.subarray(0, 1500).toString('latin1'))} (${shape.bytes.length} bytes)`,
      answer: String(end),
    };
  }

  async function shake(handshake: Handshake, from: number): Promise<Problem | null> {
    const { half = false, answers: expected, ownErrors = false } = handshake;
    // Every 127.x.y.z address is this machine; connection limits count by address.
    const localAddress = `127.1.${from >> 8}.${from & 255}`;
    const received = await exchangeRaw({ port, parts: handshake.parts, answers: half ? Infinity : 1, withinMs: half ? 150 : 5000, localAddress });
    const [answer] = received.answers;
    tally.answered('link', answer === undefined ? (received.closed ? 'closed before the upgrade' : 'half, let go') : `HTTP ${answer.status}`);
    const what =
      answer === undefined
        ? half || (received.closed && expected[0]!.includes('closed'))
          ? null
          : 'no answer'
        : ((ownErrors ? null : envelopeProblem(answer, secret)) ??
          (expected[0]?.includes(answer.status) === true ? null : `status ${answer.status}, not ${expected[0]?.join(' or ')}`));
    if (what === null && received.rest === '') return null;
    return {
      what: `handshake, ${handshake.what}: ${what ?? 'more than an answer'}`,
      request: shownShape(handshake),
      answer: `${answer?.status} ${answer?.text} ${received.rest}`,
    };
  }

  const texts = messageTexts(messages);
  const hellos = texts
    .filter(({ what }) => what.startsWith('hello'))
    // A hello of the same boot with a lower dial number is rejected.
    .map(({ what, text }): Sent => {
      const ends = endOf(text, messages, true);
      return { first: true, shape: { what, bytes: textFrame(text), ends: ends.includes('goes on') ? [...ends, 4001] : ends } };
    });
  const arbitrary = fc.oneof<fc.Arbitrary<Sent>[]>(
    fc.constantFrom(...hellos),
    linkShapes(messages, texts).map((shape) => ({ first: false, shape })),
    linkShapes(messages, texts).map((shape) => ({ first: false, shape })),
    fc.record({
      handshake: fc.constantFrom(...spareRobots.slice(0, handshakeRobots).flatMap(({ token }) => handshakes(token))),
      from: fc.nat(65_535),
    }),
  );
  await drive<Sent>({ target: 'link', arbitrary, count: requests, seed, inFlight, send, tally });
  await Promise.all(idle.map(({ session }) => session.close()));
  return null;
}
