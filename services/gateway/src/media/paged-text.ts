import { ApiError, type CardPage, type PictureNotes, type PictureRef } from '@perch/schema';

export interface PagedPicture {
  /** The first page. Its notes are those of the whole text. */
  picture: PictureRef;
  /** In the order in which they follow the first one, which is the last; none if it is the only one. */
  pages: Omit<CardPage, 'id'>[];
  /** The first pages as they show at first, with answers that do not count yet; absent: as later. */
  greyPages?: Omit<CardPage, 'id'>[];
  /** How long the question waits, where its call left that to the pages. */
  timeoutMs?: number;
}

/** Returns how long the pages before the last one show, and all of them together, ms; 0 if there is only one. */
export function pageTimes({ pages }: PagedPicture): { beforeLast: number; all: number } {
  const all = pages.reduce((sum, { afterMs }) => sum + afterMs, 0);
  return { beforeLast: all - (pages.at(-1)?.afterMs ?? 0), all };
}

/** Returns the notes of a question of which the person did not see all pages. */
export function withCutQuestion(notes: PictureNotes | undefined): PictureNotes {
  const { truncated = [] } = notes ?? {};
  return truncated.includes('question') ? { ...notes } : { ...notes, truncated: ['question', ...truncated] };
}

/** Adds the first pages as they show at first. @throws {ApiError} render_failed */
export function withGreyPages(paged: PagedPicture, pictures: readonly PictureRef[]): PagedPicture {
  const { picture, pages } = paged;
  if (pictures.some(({ page }) => page?.count !== picture.page?.count || page?.exact !== picture.page?.exact))
    throw new ApiError('render_failed', 'Renderers of two releases disagree about the pages. Try again later.');
  // Each shows after the one before it, as `pages` do; the first one at once.
  return { ...paged, greyPages: pictures.map((picture, i) => ({ picture, afterMs: i === 0 ? 0 : pages[i - 1]!.afterMs })) };
}

export function onePage(picture: PictureRef): PagedPicture {
  return { picture, pages: [] };
}

/** Draws all pages (`draw` gets the page, from 0). If renderers of two releases disagree about them, the text is cut (`draw` gets undefined). */
export async function drawPages(draw: (page: number | undefined) => Promise<PictureRef>): Promise<PagedPicture> {
  const first = await draw(0);
  const count = first.page?.count ?? 1;
  if (count === 1) return onePage(first);
  const all = [first, ...(await Promise.all(Array.from({ length: count - 1 }, (_, i) => draw(i + 1))))];
  const times = all.map(({ page }) => (page?.count === count && page.exact === first.page?.exact ? page.ms : null));
  if (times.includes(null)) return onePage(await draw(undefined));
  return { picture: first, pages: all.map((_, i) => ({ picture: all[(i + 1) % count]!, afterMs: times[i]! })) };
}
