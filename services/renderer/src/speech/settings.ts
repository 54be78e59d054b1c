import { defineSettings } from '@perch/runtime';

export const speechSettings = defineSettings({
  speech: {
    env: 'PERCH_SPEECH',
    type: 'choice',
    choices: ['auto', 'off', 'espeak-ng', 'command', 'http'],
    default: 'auto',
    description:
      'Engine of the action speak. auto: espeak-ng if it is on PATH, else none. command: PERCH_SPEECH_COMMAND, such as Piper. http: PERCH_SPEECH_URL. Without an engine, speak answers 501 not_offered.',
  },
  speechCommand: {
    env: 'PERCH_SPEECH_COMMAND',
    type: 'string',
    default: null,
    description:
      'With PERCH_SPEECH=command: the program and its arguments, separated by spaces; {voice} stands for the voice. It reads the text from its standard input and writes 16-bit mono samples or a WAV file to its standard output, such as: piper --model /voices/{voice}.onnx --output-raw',
  },
  speechUrl: {
    env: 'PERCH_SPEECH_URL',
    type: 'url',
    schemes: ['http', 'https'],
    default: null,
    description: "With PERCH_SPEECH=http: the address of a service like OpenAI's /v1/audio/speech. The texts of all accounts are sent there.",
  },
  speechKey: {
    env: 'PERCH_SPEECH_KEY',
    type: 'string',
    default: null,
    secret: true,
    description: 'API key for PERCH_SPEECH_URL, sent as a bearer token.',
  },
  speechModel: {
    env: 'PERCH_SPEECH_MODEL',
    type: 'string',
    default: 'tts-1',
    max: 200,
    description: 'Model named in requests to PERCH_SPEECH_URL.',
  },
  speechVoices: {
    env: 'PERCH_SPEECH_VOICES',
    type: 'string',
    default: null,
    max: 4000,
    description:
      "Voices that programs may name, separated by commas; the first one is the default. For espeak-ng, which knows its own voices, only the default. Default: en for espeak-ng, OpenAI's voices for http.",
  },
  speechRate: {
    env: 'PERCH_SPEECH_RATE',
    type: 'int',
    min: 8000,
    max: 192_000,
    default: null,
    description: 'Sample rate in Hz of an engine that writes samples without a WAV header. Default: 22050 for command, 24000 for http.',
  },
  speechConcurrency: {
    env: 'PERCH_SPEECH_CONCURRENCY',
    type: 'int',
    min: 1,
    max: 64,
    default: 2,
    description: 'Texts that one renderer has spoken at the same time.',
  },
});
