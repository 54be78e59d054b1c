/**
 * Finds what this bridge retained below an earlier PERCH_MQTT_TOPIC, also under another PERCH_MQTT_PREFIX: the broker would keep it for ever. What only the
 * bridge knows of a robot is read there, before it is removed.
 */
import type { Logger } from '@perch/runtime';
import { prefixIn } from '../robots/robot-claims.js';
import { retainedTopics, Topics, type RobotTopics } from '../topics.js';
import type { Broker } from './broker.js';

/** Retained by the robot's topics. */
export type Remembered = Partial<Record<'questions' | 'light' | 'sound', string>>;

export class EarlierTopics {
  readonly #topics: Topics;
  readonly #broker: Pick<Broker, 'retained' | 'publish'>;
  readonly #log: Pick<Logger, 'info'>;
  /** Topics to clear. Null: the broker has not been asked, or has this release's record already. */
  #topicsBefore: string[] | null = null;
  #before: { topic: string; robots: number } | null = null;

  constructor(options: { topics: Topics; broker: Pick<Broker, 'retained' | 'publish'>; log: Pick<Logger, 'info'> }) {
    this.#topics = options.topics;
    this.#broker = options.broker;
    this.#log = options.log;
  }

  /** Call it after each connection, before commands arrive. Without a record of an earlier topic it finds nothing. */
  async read(onRobot: (id: string, remembered: Remembered) => void): Promise<void> {
    const topics = this.#topics;
    this.#before = null;
    this.#topicsBefore = null;
    const before = (await this.#broker.retained([topics.memory])).get(topics.memory);
    if (before === topics.topic) return;
    this.#topicsBefore = [];
    if (before === undefined || !Topics.isTopic(before)) return;
    const former = topics.below(before);
    const every = former.robot('+');
    const found = await this.#broker.retained([every.claim, every.questions, every.light, every.sound]);
    let robots = 0;
    for (const [topic, payload] of found) {
      const [kind, id] = former.ofBridges(topic) ?? [];
      if (kind !== 'robots' || id === undefined || !payload.includes(JSON.stringify(topics.name))) continue;
      const own = former.robot(id);
      onRobot(id, rememberedIn(found, own));
      const prefix = prefixIn(payload) ?? topics.discoveryPrefix;
      const announced = former.discoveryOf(id, prefix);
      // An announcement on the same topic as today's is replaced, or removed with its robot: without it Home Assistant forgets names and rooms.
      const kept = topics.robot(id).discovery;
      this.#topicsBefore.push(...[announced, ...retainedTopics(own)].filter((each) => each !== kept));
      robots++;
    }
    this.#topicsBefore.push(former.bridge, former.claim, former.waiting, former.published);
    this.#before = { topic: before, robots };
  }

  /** Clears what `read` found. Call it once messages can be sent. */
  clear(): void {
    if (this.#topicsBefore === null) return;
    for (const topic of this.#topicsBefore) this.#broker.publish(topic, '', { retain: true });
    if (this.#before !== null) this.#log.info(this.#before, 'messages below the earlier topic removed');
    this.#broker.publish(this.#topics.memory, this.#topics.topic, { retain: true });
    this.#topicsBefore = null;
  }
}

function rememberedIn(found: ReadonlyMap<string, string>, topics: RobotTopics): Remembered {
  const kinds = ['questions', 'light', 'sound'] as const;
  return Object.fromEntries(kinds.flatMap((kind) => (found.has(topics[kind]) ? [[kind, found.get(topics[kind])!]] : [])));
}
