import { createContext, type ReactNode, useContext } from 'react';

const ScreenNow = createContext<ReactNode>(null);

export const ScreenNowProvider = ScreenNow.Provider;

export function useScreenNow(): ReactNode {
  return useContext(ScreenNow);
}
