import { Type } from 'typebox';
import { excludedCommand } from '../robots/excluded-commands.js';
import { limits } from '../base/limits.js';
import { openObject, type Problem } from '../base/open-object.js';
import { answerObject, argsObject, defineAction } from '../definition/action.js';

const { nameCharsMax, argsDepthMax, argsValuesMax } = limits.command;

export const command = defineAction({
  name: 'command',
  group: 'body',
  summary: "Send one of the robot's own commands, such as sticker, brightness or ir_send.",
  description:
    "The robot's state lists its commands and their arguments. Commands that switch the robot's apps, restart it, turn its streams on " +
    "or change its manager's settings are not passed on.",
  args: argsObject({
    command: Type.String({ minLength: 1, maxLength: nameCharsMax, examples: ['brightness'], description: "Name of one of the robot's commands." }),
    args: Type.Optional({ ...openObject("The command's arguments; default {}."), default: {}, examples: [{ pct: 60 }] }),
  }),
  form: { usual: ['args'] },
  answer: answerObject({ result: openObject("The robot's result; {} if it returned none.") }),
  effect: { destructive: true },
  defaults: ['args'],
  rules(sent) {
    if (excludedCommand(sent.command)) {
      return { field: 'command', message: `${sent.command} is never passed on to a robot`, code: 'command_not_passed_on' };
    }
    return sent.args === undefined ? null : sizeProblem(sent.args);
  },
  examples: [{ args: { command: 'brightness', args: { pct: 60 } }, answer: { ok: true, result: {} } }],
});

/** Limits depth and number of values: validation and serialization recurse once per level and visit every value. */
function sizeProblem(args: Record<string, unknown>): Problem | null {
  let level: unknown[] = [args];
  let values = 0;
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > argsDepthMax) return { field: 'args', message: `at most ${argsDepthMax} levels of nesting` };
    const below: unknown[] = [];
    for (const holder of level) {
      const held = Object.values(holder as object);
      values += held.length;
      if (values > argsValuesMax) return { field: 'args', message: `at most ${argsValuesMax} values in total` };
      for (const value of held) if (typeof value === 'object' && value !== null) below.push(value);
    }
    level = below;
  }
  return null;
}
