/** The service, for one API key: its robots, and what it tells about itself. */
import { Caller, type Call } from './caller.js';
import type { CallOptions, PerchOptions } from './options.js';
import { RobotClient } from './robot-client.js';
import type { ActionsAnswer, Robot, RobotsAnswer } from './types.generated.js';

const answerWithinMs = 30_000;

export class Perch {
  readonly #caller: Caller;

  /** Opens nothing and sends nothing. @throws {TypeError} where address or key are missing or cannot be */
  constructor(options: PerchOptions) {
    this.#caller = new Caller(options);
  }

  /** A robot by its id; whether there is one is told by its first call. */
  robot(id: string): RobotClient {
    return new RobotClient(this.#caller, id);
  }

  /** The key's robots. */
  async robots(options?: CallOptions): Promise<Robot[]> {
    return (await this.#caller.json<RobotsAnswer>(reading('/v1/robots', 1), options)).robots;
  }

  /** The actions with the JSON Schemas of their arguments and answers. */
  async actions(options?: CallOptions): Promise<ActionsAnswer['actions']> {
    return (await this.#caller.json<ActionsAnswer>(reading('/v1/actions', 0), options)).actions;
  }
}

function reading(path: string, cost: number): Call {
  return { method: 'GET', path, cost, reads: true, waits: false, withinMs: answerWithinMs };
}
