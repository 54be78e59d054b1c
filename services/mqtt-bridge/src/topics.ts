/** Topics of the bridge, below PERCH_MQTT_TOPIC, and those of Home Assistant that it uses. */
export interface TopicSettings {
  /** PERCH_MQTT_TOPIC. */
  topic: string;
  /** PERCH_MQTT_PREFIX. */
  discoveryPrefix: string;
  /** PERCH_MQTT_BIRTH_TOPIC. */
  birthTopic: string;
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
  /** Retained JSON: the bridge that serves the robot, and the discovery prefix that it uses. */
  claim: string;
  /** Retained JSON: ids and texts of the bridge's questions by wait, so that their answers are recognized after a restart. */
  questions: string;
  /** Not retained: each event as JSON, and `not_asked`. */
  event: string;
  /** Not retained: a PNG in base64, when it is asked for. */
  image: string;
  /** Retained: the device for Home Assistant. */
  discovery: string;
  /** Returns the topic on which a command arrives. */
  command: (name: string) => string;
}

export class Topics {
  /** Retained: `online` or, by the last will, `offline`. */
  readonly bridge: string;
  /** Retained JSON: which of the bridges with this client id started last. */
  readonly claim: string;
  /** Retained JSON: ids of the robots that are published. Bridges of 0.10 have no other record of them. */
  readonly published: string;
  /** Retained JSON: ids of robots that another bridge serves, and this one would. */
  readonly waiting: string;
  /** Not retained: sent while the bridge is connected. A broker that crashed keeps `online` of a bridge that is dead. */
  readonly heartbeat: string;
  /** Retained: PERCH_MQTT_TOPIC, so that what is below an earlier one can be removed. Its own place is the same whatever the setting. */
  readonly memory: string;
  /** Home Assistant's birth and last will. */
  readonly homeAssistant: string;
  readonly commands: string;
  /** Each matches a topic of all robots, of which an earlier run of the bridge may have left a message. */
  readonly questions: string;
  readonly lights: string;
  readonly sounds: string;
  /** Match what decides which bridge serves a robot. */
  readonly ofAllBridges: readonly string[];
  /** Key and client id of this bridge, as in its topics. */
  readonly name: string;
  readonly #settings: TopicSettings;

  constructor(settings: TopicSettings) {
    const { topic, keyId, clientId } = settings;
    this.#settings = settings;
    this.name = `${keyId}/${clientId}`;
    this.bridge = `${topic}/bridges/${this.name}`;
    this.claim = `${topic}/claims/${this.name}`;
    this.waiting = `${topic}/waiting/${this.name}`;
    this.heartbeat = `${topic}/alive/${this.name}`;
    this.memory = `perch/memory/${this.name}`;
    this.published = `${topic}/published/${keyId}`;
    this.homeAssistant = settings.birthTopic;
    this.commands = `${topic}/robots/+/set/+`;
    this.questions = `${topic}/robots/+/questions`;
    this.lights = `${topic}/robots/+/light`;
    this.sounds = `${topic}/robots/+/sound`;
    this.ofAllBridges = ['bridges/+/+', 'claims/+/+', 'waiting/+/+', 'alive/+/+', 'published/+', 'robots/+/claim'].map(
      (pattern) => `${topic}/${pattern}`,
    );
  }

  /** Returns whether a text can be the first part of topics: letters, digits, - and _, in parts separated by /. Home Assistant accepts no others. */
  static isTopic(text: string): boolean {
    return /^[a-zA-Z0-9_-]+(?:\/[a-zA-Z0-9_-]+)*$/.test(text);
  }

  get topic(): string {
    return this.#settings.topic;
  }

  get keyId(): string {
    return this.#settings.keyId;
  }

  get discoveryPrefix(): string {
    return this.#settings.discoveryPrefix;
  }

  /** Returns the topics of the same bridge with another first part. */
  below(topic: string): Topics {
    return new Topics({ ...this.#settings, topic });
  }

  /** Returns the topics of another bridge below the same first part. @param name key and client id, as in its topics */
  ofBridge(name: string): Topics {
    const [keyId, clientId] = name.split('/') as [string, string];
    return new Topics({ ...this.#settings, keyId, clientId });
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
      claim: `${own}/claim`,
      questions: `${own}/questions`,
      event: `${own}/event`,
      image: `${own}/image`,
      discovery: this.discoveryOf(id, discoveryPrefix),
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

  /** Returns the robot whose questions arrive on a topic; null for other topics. */
  robotOfQuestions(topic: string): string | null {
    return this.robotOf(this.questions, topic);
  }

  /** Returns the robot whose topic it is; null for other topics. @param filter `questions`, `lights` or `sounds` */
  robotOf(filter: string, topic: string): string | null {
    const [start, end] = filter.split('+') as [string, string];
    const robot = topic.slice(start.length, -end.length);
    return topic === `${start}${robot}${end}` && !robot.includes('/') ? robot : null;
  }

  /** Returns the topic on which a robot is announced. */
  discoveryOf(id: string, prefix: string): string {
    return `${prefix}/device/perch_${id}/config`;
  }

  /** Returns what decides on a bridge: the kind of the topic, and the bridge, key or robot that it names; null for other topics. */
  ofBridges(topic: string): [kind: 'bridges' | 'claims' | 'waiting' | 'alive' | 'published' | 'robots', name: string] | null {
    const start = `${this.#settings.topic}/`;
    const parts = topic.startsWith(start) ? topic.slice(start.length).split('/') : [];
    const [kind, first = '', second = ''] = parts;
    if ((kind === 'bridges' || kind === 'claims' || kind === 'waiting' || kind === 'alive') && parts.length === 3)
      return [kind, `${first}/${second}`];
    if (kind === 'published' && parts.length === 2) return [kind, first];
    return kind === 'robots' && second === 'claim' && parts.length === 3 ? [kind, first] : null;
  }
}

/** Returns the topics of a robot that have retained messages, in the order in which they are removed. */
export function retainedTopics({ discovery, availability, state, light, sound, error, answer, questions, claim }: RobotTopics): string[] {
  return [discovery, availability, state, light, sound, error, answer, questions, claim];
}
