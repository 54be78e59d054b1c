import type { PictureNotes } from '@perch/schema';
import { lossOf } from './graphemes.js';

/** Returns the notes that follow from the arguments alone. @param texts by paths of arguments @param adjusted arguments drawn otherwise than sent */
export function layoutNotes(
  texts: Readonly<Record<string, string | undefined>>,
  adjusted: readonly string[] = [],
  spaces?: 'exact',
): { notes?: PictureNotes } {
  const truncated: string[] = [];
  const altered: string[] = [];
  for (const [name, text] of Object.entries(texts)) {
    const loss = lossOf(text ?? '', spaces);
    if (loss.cut) truncated.push(name);
    if (loss.altered) altered.push(name);
  }
  const all = [...altered, ...adjusted];
  if (truncated.length === 0 && all.length === 0) return {};
  return { notes: { ...(truncated.length === 0 ? {} : { truncated }), ...(all.length === 0 ? {} : { adjusted: all }) } };
}
