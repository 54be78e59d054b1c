/** Stores the form input of a robot until the tab is closed. Pictures are not stored, since one may exceed the storage quota. */
import { type Draft, type Drafts, PickedPicture } from './draft.js';

export interface Kept {
  action: string;
  drafts: Record<string, Drafts>;
}

export class DraftStore {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly #key: string;

  constructor(storage: Pick<Storage, 'getItem' | 'setItem'>, robot: string) {
    this.#storage = storage;
    this.#key = `perch:playground:${robot}`;
  }

  /** @returns null if nothing is stored or it cannot be read */
  read(): Kept | null {
    try {
      const kept = JSON.parse(this.#storage.getItem(this.#key) ?? 'null', (_name, value: unknown) => value ?? undefined) as Kept | undefined;
      return kept?.drafts === undefined ? null : kept;
    } catch {
      return null;
    }
  }

  /** Does nothing without storage, or if it is full. */
  write({ action, drafts }: Kept): void {
    const lasting = Object.fromEntries(Object.entries(drafts).map(([name, draft]) => [name, withoutPictures(draft)]));
    try {
      this.#storage.setItem(this.#key, JSON.stringify({ action, drafts: lasting }));
    } catch {
      return;
    }
  }
}

/** Returns sessionStorage, or a stub if the browser blocks it. */
export function tabStorage(): Pick<Storage, 'getItem' | 'setItem'> {
  try {
    return window.sessionStorage;
  } catch {
    return { getItem: () => null, setItem: () => {} };
  }
}

function withoutPictures(draft: Draft): Draft {
  if (draft instanceof PickedPicture) return undefined;
  if (Array.isArray(draft)) return draft.map<Draft>(withoutPictures);
  if (typeof draft !== 'object') return draft;
  return Object.fromEntries(Object.entries(draft).map(([name, value]) => [name, withoutPictures(value)]));
}
