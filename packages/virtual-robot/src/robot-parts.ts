import { Face } from './body/face.js';
import { Head } from './body/head.js';
import { IncomingMedia } from './body/incoming-media.js';
import { Leds } from './body/leds.js';
import { Light } from './body/light.js';
import { Screen } from './body/screen.js';
import { Speaker, type PlayEnd, type Sound, type SpeakerListener } from './body/speaker.js';
import type { Timers } from './clock.js';
import { newOwnState } from './commands/own-commands.js';
import type { Parts } from './commands/standard-commands.js';
import type { EmitEvent } from './robot-events.js';

export interface PartsHost {
  ms(): number;
  emit: EmitEvent;
  samples(sound: Sound): void;
  flow: SpeakerListener['flow'];
  playDone(sound: Sound, reason: PlayEnd): void;
  violation(what: string): void;
  changed(): void;
}

export function createParts(
  settings: Pick<Parts, 'shape' | 'features' | 'ownCommands' | 'faults' | 'updates'>,
  timers: Timers,
  host: PartsHost,
): Parts {
  const { shape, features } = settings;
  const { emit } = host;
  const own = newOwnState();
  const light = new Light(own, timers, { enabled: features.includes('lights_questions'), changed: () => host.changed() });
  return {
    ...settings,
    timers,
    screen: new Screen(timers, () => host.ms(), {
      picture(event) {
        if (event.layer === 'question') light.asked(true);
        emit('picture', event);
      },
      clear(event) {
        if (event.layer === 'question' && event.why !== 'replaced') light.asked(false);
        emit('clear', event);
      },
    }),
    face: new Face(timers, { face: (state) => emit('face', state), bubble: (bubble) => emit('bubble', bubble) }),
    head: new Head(timers, (state) => emit('head', state)),
    leds: new Leds(shape.leds.count, timers, (state) => emit('leds', state)),
    speaker: new Speaker(shape.audio.buffer_bytes, timers, {
      started: (sound) => emit('sound', sound),
      received: (sound) => host.samples(sound),
      flow: (report) => host.flow(report),
      done: (sound, reason) => host.playDone(sound, reason),
      violation: (what) => host.violation(what),
    }),
    media: new IncomingMedia(shape.audio.max_part_bytes, (what) => host.violation(what)),
    own,
    light,
  };
}
