/** Removes what this bridge retained below an earlier PERCH_MQTT_TOPIC, which the broker would keep for ever. */
import type { Logger } from '@perch/runtime';
import { retainedTopics, Topics } from '../topics.js';
import type { Broker } from './broker.js';

export interface EarlierTopicsOptions {
  topics: Topics;
  broker: Pick<Broker, 'retained' | 'publish'>;
  log: Pick<Logger, 'info'>;
}

/** Call it after each connection. Without a record of an earlier topic it removes nothing. */
export async function removeEarlierTopics({ topics, broker, log }: EarlierTopicsOptions): Promise<void> {
  const clear = (topic: string): boolean => broker.publish(topic, '', { retain: true });
  const before = (await broker.retained([topics.memory])).get(topics.memory);
  if (before === topics.topic) return;
  if (before !== undefined && Topics.isTopic(before)) {
    const former = topics.below(before);
    const claims = await broker.retained([former.robot('+').claim]);
    let robots = 0;
    for (const [topic, payload] of claims) {
      const [kind, id] = former.ofBridges(topic) ?? [];
      if (kind !== 'robots' || id === undefined || !payload.includes(JSON.stringify(topics.name))) continue;
      // The announcement is on the same topic as today's.
      for (const each of retainedTopics(former.robot(id))) if (each !== topics.robot(id).discovery) clear(each);
      robots++;
    }
    for (const topic of [former.bridge, former.claim, former.waiting, former.published]) clear(topic);
    log.info({ topic: before, robots }, 'messages below the earlier topic removed');
  }
  broker.publish(topics.memory, topics.topic, { retain: true });
}
