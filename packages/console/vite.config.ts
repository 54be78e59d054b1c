import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { compression } from 'vite-plugin-compression2';

/** Build of the web page, which the gateway serves under a policy without inline scripts and external resources. */
export default defineConfig({
  plugins: [ownSources(), fixedLocale(), react(), compression({ algorithms: ['gzip', 'brotliCompress'] })],
  build: {
    outDir: 'dist',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { bundlerTimings: false },
      // Small parts that most pages use come as one file: each file of its own costs a header and compresses worse. The API reference needs none of them,
      // nor most of the libraries, of which those that nearly all pages use are another file: in files of their own, the first load was 255 KB, and is 242.
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'shared', test: /packages[\\/](?:console[\\/]src[\\/](?!docs|ui[\\/]theme)|schema[\\/]src)/, minShareCount: 5 },
            { name: 'libraries', test: /node_modules/, minShareCount: 8 },
          ],
        },
      },
      input: ['index.html', 'docs.html'].map((page) => fileURLToPath(new URL(page, import.meta.url))),
    },
  },
  server: { proxy: { '/console': 'http://127.0.0.1:8080', '/v1': 'http://127.0.0.1:8080' } },
});

/**
 * Replaces the module of react-aria that asks for the browser's language when it is loaded. The question takes Chromium 30 ms, on a phone four times as
 * many, before anything is painted; the page is in English (`I18nProvider` in app.tsx).
 */
function fixedLocale(): Plugin {
  const file = /[\\/]react-aria[\\/]dist[\\/]private[\\/]i18n[\\/]useDefaultLocale\.mjs$/;
  let isFound = false;
  return {
    name: 'fixed-locale',
    apply: 'build',
    load(id) {
      if (!file.test(id)) return null;
      isFound = true;
      return `
        const english = { locale: 'en-US', direction: 'ltr' };
        export const getDefaultLocale = () => english;
        export const useDefaultLocale = () => english;
      `;
    },
    buildEnd(error) {
      if (error === undefined && !isFound) this.error('react-aria has no i18n/useDefaultLocale.mjs any more: see fixedLocale in vite.config.ts');
    },
  };
}

/** Resolves own packages to their sources, so that they need not be built first. Other packages declare `source` too, but do not ship it. */
function ownSources(): Plugin {
  return {
    name: 'own-sources',
    enforce: 'pre',
    resolveId(id) {
      const [, name, subpath = ''] = /^@perch\/([^/]+)(\/.*)?$/.exec(id) ?? [];
      if (name === undefined) return null;
      const description = new URL(`../${name}/package.json`, import.meta.url);
      const { exports } = JSON.parse(readFileSync(description, 'utf8')) as { exports: Record<string, { source: string }> };
      const entry = exports[`.${subpath}`];
      return entry === undefined ? null : fileURLToPath(new URL(entry.source, description));
    },
  };
}
