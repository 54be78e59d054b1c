/** Marks: one argument of each action is unique, so that the action can be recognised at the robot. */
import type { Body } from './records.js';

export class Marks {
  readonly #given = new Map<string, number>();

  /** @param of separate sequence, for values where few numbers fit */
  next(of = ''): number {
    const next = (this.#given.get(of) ?? 0) + 1;
    this.#given.set(of, next);
    return next;
  }
}

export function markOf(name: string, args: Body): string | null {
  switch (name) {
    case 'bubble':
      return `say ${String(args['text'])}`;
    case 'leds.effect':
      return `leds ${String(args['seconds'])}`;
    case 'head.move':
      return `move ${String(args['yaw'])}`;
    case 'robot': {
      const { address, command } = (args['args'] ?? {}) as Body;
      return args['command'] === 'ir_send' ? `ir ${String(address)}/${String(command)}` : null;
    }
    default:
      return null;
  }
}

/** Returns the command's name with its layer: clearing a card and removing a question are different commands. */
export function commandName(name: string, args: Body): string {
  return typeof args['layer'] === 'string' ? `${name} ${args['layer']}` : name;
}
