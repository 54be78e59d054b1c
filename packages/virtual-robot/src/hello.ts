import type { Parts } from './commands/standard-commands.js';
import type { Boot, DialReason, Hello } from './connection/messages.js';
import { defaults, type RobotOptions } from './options.js';

export interface DialState {
  bootId: string;
  dial: number;
  reason: DialReason;
  boot: Boot | null;
}

export function helloOf(
  { model = defaults.model }: Pick<RobotOptions, 'model'>,
  { bootId, dial, reason, boot }: DialState,
  { features, screen, face, speaker, shape, ownCommands, updates: { firmware } }: Parts,
): Hello {
  const has = (feature: string): boolean => features.includes(feature);
  const { playing } = speaker;
  return {
    t: 'hello',
    v: [1],
    model,
    firmware,
    boot_id: bootId,
    dial,
    reason,
    ...(boot === null ? {} : { boot }),
    ...(has('screen') ? { screen: shape.screen } : {}),
    ...(has('speaker') ? { audio: shape.audio } : {}),
    ...(has('leds') ? { leds: shape.leds } : {}),
    features: [...features],
    showing: { card: screen.card?.id ?? null, question: screen.question?.id ?? null, emotion: face.emotion, view: face.view },
    ...(playing ? { playing: { stream: playing.stream, id: playing.id, received: playing.received } } : {}),
    commands: ownCommands.map(({ name, description, class: kind, args }) => ({ name, description, class: kind, args })),
  };
}
