import { createContext, useContext } from 'react';

const Suggestions = createContext<Readonly<Record<string, readonly string[]>>>({});

export const SuggestionsProvider = Suggestions.Provider;

export function useSuggestions(path: string): readonly string[] {
  return useContext(Suggestions)[path] ?? [];
}
