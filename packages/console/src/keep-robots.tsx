/** Keeps the virtual robots of this tab running while its other pages are shown. */
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { useSignedIn } from './api/session.js';
import type { RobotStore } from './pages/virtual/robot-store.js';
import { RobotTabs } from './robot-tabs.js';

const RobotTabsContext = createContext<RobotTabs<RobotStore> | null>(null);

export function useRobotTabs(): RobotTabs<RobotStore> {
  const tabs = useContext(RobotTabsContext);
  if (tabs === null) throw new Error('no KeepRobots above');
  return tabs;
}

export function KeepRobots({ children }: { children: ReactNode }) {
  const { account, link_url: url } = useSignedIn();
  const [tabs] = useState(
    () =>
      new RobotTabs<RobotStore>(account.id, async (_, token) => {
        const { RobotStore: Store } = await import('./pages/virtual/robot-store.js');
        return new Store({ url, token });
      }),
  );
  useEffect(() => tabs.open(), [tabs]);
  return <RobotTabsContext value={tabs}>{children}</RobotTabsContext>;
}
