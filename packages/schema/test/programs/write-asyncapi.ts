/** Writes docs/robot-link.asyncapi.json: node --import tsx --conditions=source packages/schema/test/programs/write-asyncapi.ts */
import { writeFileSync } from 'node:fs';
import { asyncApiDocument } from '../../src/index.js';
import { asyncApiFile, documentedHost } from '../link/asyncapi-file.js';

writeFileSync(asyncApiFile, `${JSON.stringify(asyncApiDocument(documentedHost), null, 2)}\n`);
