import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from '@perch/runtime';
import { ApiError } from '@perch/schema';
import { chooseEngine } from '../../src/speech/choose-engine.js';
import { CommandEngine } from '../../src/speech/command-engine.js';
import { Espeak } from '../../src/speech/espeak.js';
import { HttpEngine } from '../../src/speech/http-engine.js';
import { speechSettings } from '../../src/speech/settings.js';

describe('the choice of the speech engine', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'perch-engine-'));
    writeFileSync(join(folder, 'espeak-ng'), '#!/bin/sh\n', { mode: 0o755 });
  });
  after(() => rmSync(folder, { recursive: true }));

  const chosen = (env: Record<string, string>, path = folder) => chooseEngine(loadConfig(speechSettings, env), path);
  const refusal = (engine: unknown): string => (engine instanceof ApiError && engine.code === 'not_offered' ? engine.message : '');

  it('chooses espeak-ng if it is on PATH, otherwise none, with the reason', () => {
    assert.ok(chosen({}) instanceof Espeak);
    assert.match(refusal(chosen({}, '/nonexistent')), /espeak-ng is not installed/);
    assert.match(refusal(chosen({ PERCH_SPEECH: 'off' })), /turned speech off/);
  });

  it('follows PERCH_SPEECH, and a start without what it needs is refused with the name of the setting', () => {
    assert.ok(chosen({ PERCH_SPEECH: 'command', PERCH_SPEECH_COMMAND: 'piper --output-raw' }) instanceof CommandEngine);
    assert.ok(chosen({ PERCH_SPEECH: 'http', PERCH_SPEECH_URL: 'http://127.0.0.1:9/v1/audio/speech' }) instanceof HttpEngine);
    for (const [name, path, missing] of [
      ['command', folder, 'PERCH_SPEECH_COMMAND'],
      ['http', folder, 'PERCH_SPEECH_URL'],
      ['espeak-ng', '/nonexistent', 'PERCH_SPEECH'],
    ] as const)
      assert.throws(
        () => chosen({ PERCH_SPEECH: name }, path),
        (error) => error instanceof ConfigError && error.message.includes(`${missing}:`),
      );
  });
});
