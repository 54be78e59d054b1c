/** Theme of the page, stored in this browser and set on the document's root for tokens.css. */
import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const stored = 'perch-theme';
const listeners = new Set<() => void>();

export function currentTheme(): Theme {
  const theme = document.documentElement.dataset.theme;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** Call it before the first paint. */
export function restoreTheme(): void {
  const theme = kept();
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(stored, theme);
  } catch {
    // Without storage, the theme is lost on reload.
  }
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentTheme);
}

function kept(): string | null {
  try {
    return localStorage.getItem(stored);
  } catch {
    return null;
  }
}
