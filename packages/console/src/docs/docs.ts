/**
 * The API reference at /docs: Swagger UI for /openapi.json, without "Try it out": requests are sent from the playground, so that nobody enters a key
 * here. Only this page's policy allows inline styles, which Swagger UI needs.
 */
import '@fontsource-variable/geist/wght.css';
import '@fontsource-variable/geist-mono/wght.css';
import '../ui/theme/tokens.css';
import './docs.css';
import viewer from 'swagger-ui-dist/swagger-ui-bundle.js?url';
import { restoreTheme } from '../ui/theme/theme.js';
import { nameControls } from './name-controls.js';

interface Viewer {
  specSelectors: { taggedOperations(): { keySeq(): { toArray(): string[] } } };
  layoutActions: { show(section: readonly string[], isShown: boolean): void };
}

declare global {
  interface Window {
    SwaggerUIBundle(options: Record<string, unknown>): Viewer;
  }
}

const reference = document.getElementById('reference')!;
const dark = matchMedia('(prefers-color-scheme: dark)');

restoreTheme();
followTheme();
dark.addEventListener('change', followTheme);
nameControls(reference);

// Loaded as it is: bundling 1.5 MB with each build would change nothing in it.
const script = document.createElement('script');
script.src = viewer;
script.addEventListener('load', () => {
  reference.classList.add('docs-opening');
  const shown = window.SwaggerUIBundle({
    domNode: reference,
    url: '/openapi.json',
    layout: 'BaseLayout',
    docExpansion: 'none',
    plugins: [withoutSecuritySchemes],
    onComplete: () => void openSections(shown),
    defaultModelsExpandDepth: -1,
    supportedSubmitMethods: [],
    validatorUrl: null,
    syntaxHighlight: false,
  });
});
script.addEventListener('error', () => {
  reference.textContent = 'The reference could not be loaded. Reload the page, or read /openapi.json.';
});
document.head.append(script);

/** Skips resolving how programs sign in, for a dialog that is not shown: it reads the whole document, which takes longer than everything else. */
function withoutSecuritySchemes(): object {
  const requestResolvedSubtree = (request: (path: readonly string[]) => unknown) => (path: readonly string[]) =>
    path.join('.') === 'components.securitySchemes' ? undefined : request(path);
  return { statePlugins: { spec: { wrapActions: { requestResolvedSubtree } } } };
}

/** Opens one section after the other: all at once would block the page for seconds. They stay invisible meanwhile, so that none is seen to move. */
async function openSections({ specSelectors, layoutActions }: Viewer): Promise<void> {
  for (const tag of specSelectors.taggedOperations().keySeq().toArray()) {
    await new Promise((idle) => setTimeout(idle));
    layoutActions.show(['operations-tag', tag], true);
  }
  await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  reference.classList.remove('docs-opening');
}

function followTheme(): void {
  const theme = document.documentElement.dataset['theme'];
  document.documentElement.classList.toggle('dark-mode', theme === undefined ? dark.matches : theme === 'dark');
}
