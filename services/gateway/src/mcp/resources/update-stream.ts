/** One open `subscriptions/listen`: reads its robots every two seconds and notifies about each resource that has changed. */
import { SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import { ApiError, type RobotState } from '@perch/schema';
import type { Writable } from 'node:stream';
import type { OpenStream } from '../../events/open-streams.js';
import { SseConnection, type StreamEnd } from '../../http/sse/sse-connection.js';
import type { RequestId } from '../message.js';
import { serverInfo } from '../server-info.js';
import type { ResourcePart, RobotResource } from './robot-uri.js';

/** Ticks, of about a second each, from one read of the robots to the next. */
const readEveryTicks = 2;

export type StateOf = (robot: string) => Promise<Omit<RobotState, 'ok'>>;

export interface UpdateStreamOptions {
  id: RequestId;
  resources: readonly RobotResource[];
  /** Also checks that the key still reaches the robot. @throws {ApiError} */
  stateOf: StateOf;
  ended: (why: StreamEnd) => void;
}

export class UpdateStream implements OpenStream {
  readonly #options: UpdateStreamOptions;
  readonly #connection: SseConnection;
  /** By URI: what the client has been notified about. */
  readonly #seen = new Map<string, string>();
  #ticks = 0;
  #isReading = false;

  constructor(options: UpdateStreamOptions) {
    this.#options = options;
    this.#connection = new SseConnection({ beat: () => ': keepalive\n\n', drained: () => {}, ended: options.ended });
  }

  /** Reads what the client is assumed to know: the resources as they are when it subscribes. @throws {ApiError} */
  async prepare(): Promise<void> {
    await this.#changes();
  }

  begin(response: Writable): void {
    const notifications = { resourceSubscriptions: this.#options.resources.map(({ uri }) => uri) };
    this.#connection.write(this.#connection.begin(response) + this.#notification('notifications/subscriptions/acknowledged', { notifications }));
  }

  tick(now: number): void {
    this.#connection.tick(now);
    if (++this.#ticks % readEveryTicks === 0) void this.#read();
  }

  end(reason: unknown): void {
    const result = { resultType: 'complete', _meta: { [SUBSCRIPTION_ID_META_KEY]: this.#options.id, [SERVER_INFO_META_KEY]: serverInfo } };
    const why = reason instanceof ApiError ? reason.code : 'internal';
    this.#connection.end(why, eventText({ jsonrpc: '2.0', id: this.#options.id, result }));
  }

  hungUp(): void {
    this.#connection.cut('hung_up');
  }

  /** A failure to read ends the stream only if it is certain that it lasts: the client then subscribes again and gets the error. */
  async #read(): Promise<void> {
    if (this.#isReading || !this.#connection.takes) return;
    this.#isReading = true;
    try {
      for (const uri of await this.#changes())
        if (this.#connection.takes) this.#connection.write(this.#notification('notifications/resources/updated', { uri }));
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) this.end(error);
    } finally {
      this.#isReading = false;
    }
  }

  /** Returns the URIs of the resources that have changed since the last call. */
  async #changes(): Promise<string[]> {
    const { resources, stateOf } = this.#options;
    const changed: string[] = [];
    for (const robot of new Set(resources.map((resource) => resource.robot))) {
      const state = await stateOf(robot);
      for (const { uri, part } of resources.filter((resource) => resource.robot === robot)) {
        const now = fingerprint(state, part);
        if (this.#seen.get(uri) === now) continue;
        this.#seen.set(uri, now);
        changed.push(uri);
      }
    }
    return changed;
  }

  #notification(method: string, params: object): string {
    return eventText({ jsonrpc: '2.0', method, params: { ...params, _meta: { [SUBSCRIPTION_ID_META_KEY]: this.#options.id } } });
  }
}

/** Readings change with every report, every two seconds, and are no news. */
function fingerprint(state: Omit<RobotState, 'ok'>, part: ResourcePart): string {
  return JSON.stringify(part === 'state' ? { ...state, readings: null, readings_at: null } : [state.online, state.showing]);
}

function eventText(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
