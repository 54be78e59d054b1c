/** How an action is told from every other: one of its arguments is given once only, and reaches the robot as it is. */
import type { Body } from './records.js';

/** Numbers that are given once. */
export class Marks {
  readonly #given = new Map<string, number>();

  /** @param of what they number, where few numbers fit; default: everything else. From 1 */
  next(of = ''): number {
    const next = (this.#given.get(of) ?? 0) + 1;
    this.#given.set(of, next);
    return next;
  }
}

/** The mark of a command as the robot receives it, or null where it carries none. */
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

/** What a command without a mark is called: clearing a card is not taking a question away. */
export function commandName(name: string, args: Body): string {
  return typeof args['layer'] === 'string' ? `${name} ${args['layer']}` : name;
}
