import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCaller } from '../../../../api/api.js';
import type { CallError } from '../../../../api/call-error.js';
import { ChooseButton, type Offer } from './choose-button.js';

interface Icon {
  name: string;
  /** Words for what it shows or means. */
  tags: readonly string[];
}

/** As the renderer draws them: one path in a square of 24 by 24. Loaded once a list of icons is opened. */
const drawings = import.meta.glob<string>('../../../../../../../services/renderer/fonts/icons.json', { query: '?raw', import: 'default' });

const shownMax = 60;
/** Shown before anything is typed. */
const usual: readonly string[] = ['check', 'x', 'bell', 'coffee', 'sun', 'cloud-rain', 'mail', 'phone', 'heart', 'star', 'house', 'clock'];

export function IconPicker({ name, chosen, onChoose }: { name: string; chosen: string; onChoose(icon: string): void }) {
  const caller = useCaller();
  const [isWanted, setWanted] = useState(false);
  const { data: icons } = useQuery<Icon[], CallError>({
    queryKey: ['icons'],
    queryFn: async ({ signal }) => (await caller.get<{ icons: Icon[] }>('/console/v1/icons', { signal })).icons,
    enabled: isWanted,
    staleTime: Infinity,
  });
  const { data: paths } = useQuery<Record<string, string>>({
    queryKey: ['icon-drawings'],
    queryFn: async () => JSON.parse(await Object.values(drawings)[0]!()) as Record<string, string>,
    enabled: isWanted,
    staleTime: Infinity,
  });
  const find = (typed: string): Offer[] | null =>
    icons === undefined || paths === undefined
      ? null
      : matching(icons, typed).map((icon) => ({ id: icon, label: icon, picture: <Drawing path={paths[icon] ?? ''} /> }));
  return (
    <ChooseButton label={`Choose ${name}`} title="Icons" chosen={chosen} find={find} isGrid onOpen={() => setWanted(true)} onChoose={onChoose} />
  );
}

/** Names that begin with what was typed come first, then those that contain it, then those with a word for it. */
function matching(icons: readonly Icon[], typed: string): string[] {
  if (typed === '') return [...usual, ...icons.map(({ name }) => name).filter((name) => !usual.includes(name))].slice(0, shownMax);
  const ranks = icons.map(({ name, tags }) => {
    if (name.startsWith(typed)) return { name, rank: 0 };
    if (name.includes(typed)) return { name, rank: 1 };
    return { name, rank: tags.some((tag) => tag.includes(typed)) ? 2 : 3 };
  });
  return ranks
    .filter(({ rank }) => rank < 3)
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, shownMax)
    .map(({ name }) => name);
}

function Drawing({ path }: { path: string }) {
  return (
    <svg
      width={24}
      height={24}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}
