import type { PictureNotes } from '@perch/schema';
import { lossOf } from './graphemes.js';

/**
 * Returns the notes that follow from the arguments alone, as a field of a scene.
 * @param texts the sent texts by the paths of their arguments
 * @param adjusted arguments that the layout does not draw as they were sent
 */
export function layoutNotes(texts: Readonly<Record<string, string | undefined>>, adjusted: readonly string[] = []): { notes?: PictureNotes } {
  const truncated: string[] = [];
  const altered: string[] = [];
  for (const [name, text] of Object.entries(texts)) {
    const loss = lossOf(text ?? '');
    if (loss.cut) truncated.push(name);
    if (loss.altered) altered.push(name);
  }
  const all = [...altered, ...adjusted];
  if (truncated.length === 0 && all.length === 0) return {};
  return { notes: { ...(truncated.length === 0 ? {} : { truncated }), ...(all.length === 0 ? {} : { adjusted: all }) } };
}
