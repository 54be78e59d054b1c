/** Hey API's generator, with the client over fetch that it writes by itself. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const about = {
  name: 'Hey API',
  node: '24',
  versions: [{ '@hey-api/openapi-ts': '0.99.0', typescript: '5.9.3' }],
  converts: { 'Hey API openapi-ts': 'TypeScript' },
};

const use = (ask) => `
import { ${ask} } from './client/sdk.gen';
export const asked = ${ask}({ path: { robot: 'r-0' }, body: { question: 'Tea?', answers: ['Yes', 'No'] } });
`;

export async function convert({ document, folder, compile }) {
  const { createClient } = await import('@hey-api/openapi-ts');
  const input = join(folder, 'openapi.json');
  writeFileSync(input, JSON.stringify(document));
  await createClient({ input, output: join(folder, 'client'), logs: { level: 'silent' } });
  compile(folder, use(document.paths['/v1/robots/{robot}/ask'].post.operationId));
}
