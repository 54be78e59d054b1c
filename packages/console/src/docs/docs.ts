/**
 * The API reference at /docs: Swagger UI for /openapi.json, without "Try it out". Requests are sent from the playground, so that nobody enters a key
 * here. Only this page's policy allows inline styles, which Swagger UI needs.
 */
import '@fontsource-variable/geist/wght.css';
import '@fontsource-variable/geist-mono/wght.css';
import '../ui/theme/tokens.css';
import './docs.css';
import viewer from 'swagger-ui-dist/swagger-ui-bundle.js?url';
import { restoreTheme } from '../ui/theme/theme.js';
import { nameControls } from './name-controls.js';

declare global {
  interface Window {
    SwaggerUIBundle(options: Record<string, unknown>): void;
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
  window.SwaggerUIBundle({
    domNode: reference,
    url: '/openapi.json',
    layout: 'BaseLayout',
    docExpansion: 'list',
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

function followTheme(): void {
  const theme = document.documentElement.dataset['theme'];
  document.documentElement.classList.toggle('dark-mode', theme === undefined ? dark.matches : theme === 'dark');
}
