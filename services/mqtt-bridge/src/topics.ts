/** Topics of the bridge, below PERCH_MQTT_TOPIC, and those of Home Assistant that it uses. */
export interface TopicSettings {
  /** PERCH_MQTT_TOPIC. */
  topic: string;
  /** PERCH_MQTT_PREFIX. */
  discoveryPrefix: string;
  keyId: string;
  clientId: string;
}

export interface RobotTopics {
  /** Retained: `online` or `offline`. */
  availability: string;
  /** Retained JSON: readings, battery and the like. */
  state: string;
  /** Retained JSON: what the bridge last set, since robots do not report it. */
  light: string;
  sound: string;
  /** Retained JSON: the last command that failed. */
  error: string;
  /** Retained JSON: the last answer to a question. */
  answer: string;
  /** Not retained: each event as JSON. */
  event: string;
  /** Retained: the device for Home Assistant. */
  discovery: string;
  /** Returns the topic on which a command arrives. */
  command: (name: string) => string;
}

export class Topics {
  /** Retained: `online` or, by the last will, `offline`. */
  readonly bridge: string;
  /** Matches the same topic of every bridge with this key. */
  readonly bridges: string;
  /** Retained JSON: which of the bridges with this client id started last. */
  readonly claim: string;
  /** Retained JSON: ids of the robots that are published, so that the next start can remove those that the key lost meanwhile. */
  readonly published: string;
  /** Home Assistant's birth and last will. */
  readonly homeAssistant: string;
  readonly commands: string;
  readonly #settings: TopicSettings;

  constructor(settings: TopicSettings) {
    const { topic, discoveryPrefix, keyId, clientId } = settings;
    this.#settings = settings;
    this.bridge = `${topic}/bridges/${keyId}/${clientId}`;
    this.bridges = `${topic}/bridges/${keyId}/+`;
    this.claim = `${topic}/claims/${keyId}/${clientId}`;
    this.published = `${topic}/published/${keyId}`;
    this.homeAssistant = `${discoveryPrefix}/status`;
    this.commands = `${topic}/robots/+/set/+`;
  }

  robot(id: string): RobotTopics {
    const { topic, discoveryPrefix } = this.#settings;
    const own = `${topic}/robots/${id}`;
    return {
      availability: `${own}/availability`,
      state: `${own}/state`,
      light: `${own}/light`,
      sound: `${own}/sound`,
      error: `${own}/error`,
      answer: `${own}/answer`,
      event: `${own}/event`,
      discovery: `${discoveryPrefix}/device/perch_${id}/config`,
      command: (name) => `${own}/set/${name}`,
    };
  }

  /** Returns robot and name of the command that arrives on a topic; null for other topics. */
  commandOf(topic: string): { robot: string; name: string } | null {
    const start = `${this.#settings.topic}/robots/`;
    if (!topic.startsWith(start)) return null;
    const [robot, set, name, ...more] = topic.slice(start.length).split('/');
    return robot !== undefined && set === 'set' && name !== undefined && more.length === 0 ? { robot, name } : null;
  }

  /** Returns the client id of the bridge whose status arrives on a topic; null for other topics. */
  clientOf(topic: string): string | null {
    const start = this.bridges.slice(0, -1);
    return topic.startsWith(start) ? topic.slice(start.length) : null;
  }
}

/** Returns the topics of a robot that have retained messages, in the order in which they are removed. */
export function retainedTopics({ discovery, availability, state, light, sound, error, answer }: RobotTopics): string[] {
  return [discovery, availability, state, light, sound, error, answer];
}
