/** Marks: one argument of each action is unique, so that the action can be recognised at the robot. */
import type { Body } from './records.js';

export class Marks {
  readonly #given = new Map<string, number>();

  /** @param of separate sequence, for values where few numbers fit; default: the common one. Starts at 1 */
  next(of = ''): number {
    const next = (this.#given.get(of) ?? 0) + 1;
    this.#given.set(of, next);
    return next;
  }
}

/** Returns the mark of a command as the robot receives it, or null if it carries none. */
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

/** Returns the name of a command without a mark, with its layer: clearing a card differs from removing a question. */
export function commandName(name: string, args: Body): string {
  return typeof args['layer'] === 'string' ? `${name} ${args['layer']}` : name;
}
