/** openapi-typescript, which also demanded members that have a default. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const about = {
  name: 'openapi-typescript',
  versions: [{ 'openapi-typescript': '7.13.0', typescript: '5.9.3' }],
  converts: { 'openapi-typescript': 'TypeScript' },
};

const use = `
import type { paths } from './api';
type Body<P extends keyof paths> = paths[P] extends { post: { requestBody: { content: { 'application/json': infer B } } } } ? B : never;
export const ask: Body<'/v1/robots/{robot}/ask'> = { question: 'Tea?', answers: ['Yes', 'No'] };
export const show: Body<'/v1/robots/{robot}/show'> = { text: 'Hi' };
`;

export async function convert({ document, folder, compile }) {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  writeFileSync(join(folder, 'api.ts'), astToString(await openapiTS(document)));
  compile(folder, use);
}
