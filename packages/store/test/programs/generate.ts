import { writeFileSync } from 'node:fs';
import { redisKeysPage, redisKeysPageFile } from './redis-keys-page.js';
import { scriptTypes, scriptTypesFile } from './script-types.js';

writeFileSync(redisKeysPageFile, redisKeysPage());
writeFileSync(scriptTypesFile, scriptTypes());
