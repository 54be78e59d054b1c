import '@fontsource-variable/geist/wght.css';
import '@fontsource-variable/geist-mono/wght.css';
import './ui/theme/tokens.css';
import './ui/theme/base.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { ApiProvider } from './api/api.js';
import { CallError } from './api/call-error.js';
import { Caller } from './api/caller.js';
import { clearAccountData, prefetchSession } from './api/session.js';
import { App, preloadPage } from './app.js';
import { takeUrlFragment } from './url-fragment.js';
import { loadFormats } from './ui/formats/load-formats.js';
import { restoreTheme } from './ui/theme/theme.js';

loadFormats();
restoreTheme();
const fragment = takeUrlFragment();
const caller = new Caller();
const client = new QueryClient({
  defaultOptions: {
    queries: {
      // Retry only requests that did not reach the service, or that failed there.
      retry: (failures, error) => failures < 2 && error instanceof CallError && (error.status === 0 || error.status >= 500),
      staleTime: 5000,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
caller.onOtherAccount(() => clearAccountData(client));
prefetchSession(client, caller);
preloadPage(location.pathname, client, caller);

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <ApiProvider caller={caller}>
        <BrowserRouter>
          <App fragment={fragment} />
        </BrowserRouter>
      </ApiProvider>
    </QueryClientProvider>
  </StrictMode>,
);
