import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ConfigError, type ConfigOf } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import { CommandEngine } from './command-engine.js';
import type { SpeechEngine } from './engine.js';
import { Espeak } from './espeak.js';
import { HttpEngine } from './http-engine.js';
import type { speechSettings } from './settings.js';

const rateOfOpenAi = 24_000;
const rateOfPiper = 22_050;
const voicesOfOpenAi = ['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'onyx', 'nova', 'sage', 'shimmer', 'verse'];

/** @returns why there is no engine, or the engine @throws {ConfigError} settings that contradict each other */
export function chooseEngine(config: ConfigOf<typeof speechSettings>, path: string): SpeechEngine | ApiError {
  const { speech, speechUrl, speechKey, speechModel, speechCommand, speechRate } = config;
  const voices = (config.speechVoices ?? '').split(',').flatMap((name) => name.trim() || []);
  if (speech === 'off') return notOffered('its operator has turned speech off');
  if (speech === 'http') {
    if (speechUrl === null) throw new ConfigError(['PERCH_SPEECH_URL: not set, and PERCH_SPEECH=http needs it']);
    const rate = speechRate ?? rateOfOpenAi;
    return new HttpEngine({ url: speechUrl, key: speechKey, model: speechModel, rate, voices: voices.length > 0 ? voices : voicesOfOpenAi });
  }
  if (speech === 'command') {
    if (speechCommand === null) throw new ConfigError(['PERCH_SPEECH_COMMAND: not set, and PERCH_SPEECH=command needs it']);
    return new CommandEngine({ command: speechCommand, path, rate: speechRate ?? rateOfPiper, voices });
  }
  const program = found('espeak-ng', path);
  if (program !== null) return new Espeak(program, path, voices[0]);
  if (speech === 'espeak-ng') throw new ConfigError(['PERCH_SPEECH: espeak-ng is not on PATH']);
  return notOffered('no speech engine is configured, and espeak-ng is not installed where its renderers run');
}

function notOffered(why: string): ApiError {
  return new ApiError('not_offered', `This service cannot speak: ${why}.`);
}

function found(program: string, path: string): string | null {
  for (const folder of path.split(delimiter)) {
    try {
      const file = join(folder, program);
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}
