import { createContext, useContext } from 'react';

/** By the path of the field, with `[]` for an entry of a list: `items[].icon`. */
const Suggestions = createContext<Readonly<Record<string, readonly string[]>>>({});

export const SuggestionsProvider = Suggestions.Provider;

/** A browser draws each suggestion, even those that do not fit. */
const shownMax = 40;

/** Returns the suggestions of a field that contain what is typed. */
export function useSuggestions(path: string, typed: string): readonly string[] {
  const all = useContext(Suggestions)[path.replace(/\[\d+\]/g, '[]')] ?? [];
  return all.length <= shownMax ? all : all.filter((each) => each.includes(typed.trim().toLowerCase())).slice(0, shownMax);
}
