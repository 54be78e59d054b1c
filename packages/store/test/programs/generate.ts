import { writeFileSync } from 'node:fs';
import { redisKeysPage, redisKeysPageFile } from './redis-keys-page.js';
import { scriptKeys, scriptKeysFile } from './script-keys.js';

writeFileSync(redisKeysPageFile, redisKeysPage());
writeFileSync(scriptKeysFile, scriptKeys());
