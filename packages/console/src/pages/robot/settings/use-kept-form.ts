import { useEffect, useState } from 'react';

/**
 * State of a form that is not saved by itself: what was typed stays in this tab when another page is shown, and the browser asks before it closes the tab or
 * leaves the site.
 * @param name unique in the tab
 * @param saved what the service has; the form starts with it unless something else was typed before
 */
export function useKeptForm<T extends object>(name: string, saved: T): { form: T; set(part: Partial<T>): void; isChanged: boolean } {
  const key = `perch-form:${name}`;
  const [form, setForm] = useState<T>(() => ({ ...saved, ...kept<T>(key) }));
  const [now, then] = [JSON.stringify(form), JSON.stringify(saved)];
  const isChanged = now !== then;
  useEffect(() => {
    keep(key, isChanged ? now : null);
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [key, now, isChanged]);
  return { form, set: (part) => setForm((before) => ({ ...before, ...part })), isChanged };
}

function kept<T>(key: string): Partial<T> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<T>;
  } catch {
    return {};
  }
}

function keep(key: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // Without storage, the form is lost with the page.
  }
}
