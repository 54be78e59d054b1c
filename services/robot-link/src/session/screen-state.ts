import type { ScreenState } from '@perch/schema';
import { seriesOfCard } from '@perch/store';

export function applyToScreenState(showing: ScreenState, name: string, args: Record<string, unknown>): void {
  const { layer, id, emotion, view } = args;
  switch (name) {
    case 'screen.show':
      if (isLayer(layer) && typeof id === 'string') showing[layer] = id;
      return;
    case 'screen.clear':
      if (isLayer(layer) && (id === undefined || showing[layer] === id)) showing[layer] = null;
      return;
    case 'face':
      if (typeof emotion === 'string') showing.emotion = emotion;
      if (typeof view === 'string') showing.view = view;
  }
}

function isLayer(value: unknown): value is 'card' | 'question' {
  return value === 'card' || value === 'question';
}

/** Names the picture that a person sees. The frames of a running countdown are one. */
export function shownBy({ card, question, view }: ScreenState): string {
  if (question !== null) return `question ${question}`;
  return card === null ? `view ${view}` : `card ${seriesOfCard(card) ?? card}`;
}
