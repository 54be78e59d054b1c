import { createContext, useContext, type ReactNode } from 'react';
import type { Caller } from './caller.js';

const CallerContext = createContext<Caller | null>(null);

export function ApiProvider({ caller, children }: { caller: Caller; children: ReactNode }) {
  return <CallerContext value={caller}>{children}</CallerContext>;
}

export function useCaller(): Caller {
  const caller = useContext(CallerContext);
  if (caller === null) throw new Error('no ApiProvider above');
  return caller;
}
