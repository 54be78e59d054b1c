import type { RobotSnapshot, ScreenAnswer, ScreenTextAnswer, ShownRobot } from '@perch/schema';
import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query';
import { useCaller } from './api.js';
import type { Caller } from './caller.js';
import { Pace } from './pace.js';

/** For the list of robots: up to 200 pictures at once, each an action of the session, which has 10 a second and bursts of 30. */
export const listPace = new Pace(150);

/** Returns a picture as a `data:` URL, never partial; undefined while loading, null if it is gone. @param id of the card or question, or null */
export function usePictureOnScreen(robot: string, id: string | null, pace: Pace | null = null): string | null | undefined {
  const { data } = useQuery({ ...pictureQuery(useCaller(), robot, id ?? '', pace), enabled: id !== null });
  return data;
}

/** Returns the id of the card or question on the screen, or null. */
export function idOnScreen(snapshot: Pick<RobotSnapshot | ShownRobot, 'showing'> | null): string | null {
  return snapshot?.showing.question ?? snapshot?.showing.card ?? null;
}

export interface ScreenWords {
  /** Null: not known. */
  says: string | null;
  answers: readonly ScreenAnswer[];
}

const noWords: ScreenWords = { says: null, answers: [] };

/** Returns what a card or question says, for people who do not see its picture. @param id of it, or null */
export function useScreenWords(robot: string, id: string | null): ScreenWords {
  const caller = useCaller();
  // All pictures of a countdown, one each second, end alike and say the same.
  const text = id?.startsWith('down-') === true ? id.slice(-12) : id;
  const { data } = useQuery<ScreenWords>({
    queryKey: ['screen-text', robot, text],
    queryFn: async ({ signal }) => {
      const path = `/console/robots/${encodeURIComponent(robot)}/screen?id=${encodeURIComponent(id ?? '')}&form=text`;
      const response = await caller.raw(path, { signal });
      // A gateway of 0.10 answers with the picture.
      const isText = response.ok && response.headers.get('content-type')?.startsWith('application/json') === true;
      if (!isText) return noWords;
      const { text: says, answers = [] } = (await response.json()) as ScreenTextAnswer;
      return { says, answers };
    },
    enabled: id !== null,
    staleTime: Infinity,
  });
  return data ?? noWords;
}

/** Requests a picture that a page shows soon. @param id of the card or question, or null */
export function requestPicture(client: QueryClient, caller: Caller, robot: string, id: string | null): void {
  if (id !== null) void client.prefetchQuery(pictureQuery(caller, robot, id, null));
}

function pictureQuery(caller: Caller, robot: string, id: string, pace: Pace | null) {
  return queryOptions<string | null>({
    queryKey: ['screen-picture', robot, id],
    queryFn: async ({ signal }) => {
      await pace?.next(signal);
      const path = `/console/robots/${encodeURIComponent(robot)}/screen?id=${encodeURIComponent(id)}`;
      const response = await caller.raw(path, { signal, cache: 'default' });
      if (response.status === 404) return null;
      if (!response.ok) throw new Error(`status ${response.status}`);
      return await addressOf(await response.blob());
    },
    staleTime: Infinity,
  });
}

export function addressOf(blob: Blob): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => done(reader.result as string));
    reader.addEventListener('error', () => fail(reader.error ?? new Error('not read')));
    reader.readAsDataURL(blob);
  });
}
