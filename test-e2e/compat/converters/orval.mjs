/** orval, with its clients over axios and fetch. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const about = {
  name: 'orval',
  node: '24',
  versions: [{ orval: '8.38.0', typescript: '5.9.3', axios: '1.21.1' }],
  converts: { 'orval (axios)': 'TypeScript', 'orval (fetch)': 'TypeScript' },
  faults: {
    'orval (fetch)':
      'the function for a request that takes JSON or a picture (POST /v1/pictures) does not compile: orval hands both to fetch as they are (orval-labs/orval 3804). With `override: { contentType: { include: ["application/json"] } }` in its output it takes JSON alone, and compiles',
  },
};

const use = (api) => `
import * as api from './client';
export const asked = ${api}('r-0', { question: 'Tea?', answers: ['Yes', 'No'] });
`;

export async function convert({ what, document, folder, compile }) {
  const { generate } = await import('orval');
  const input = join(folder, 'openapi.json');
  writeFileSync(input, JSON.stringify(document));
  await generate(
    { input: { target: input }, output: { target: join(folder, 'client.ts'), client: what.endsWith('(fetch)') ? 'fetch' : 'axios' } },
    folder,
  );
  const { operationId } = document.paths['/v1/robots/{robot}/ask'].post;
  // The client over axios is a factory.
  compile(folder, use(what.endsWith('(fetch)') ? `api.${operationId}` : `api.getPerch().${operationId}`));
}
