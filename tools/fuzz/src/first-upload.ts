import { goodPictures } from './generate/pictures.js';
import type { FuzzSystem } from './fuzz-system.js';

/** Shows a picture, with which the renderer starts its processes for uploads: their memory is no growth. @throws if it is not shown */
export async function showFirstUpload(system: FuzzSystem): Promise<void> {
  const answer = await fetch(`${system.gateway()}/v1/robots/${system.robots[0]!.id}/show`, {
    method: 'POST',
    headers: { authorization: `Bearer ${system.nextKey()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ image: goodPictures[0]!.value }),
    signal: AbortSignal.timeout(30_000),
  });
  if (answer.status !== 200) throw new Error(`show: ${answer.status} ${await answer.text()}`);
}
