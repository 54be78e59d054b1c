import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { compression } from 'vite-plugin-compression2';

/** The gateway serves what this makes, under a policy that allows no inline script and nothing from elsewhere. */
export default defineConfig({
  plugins: [
    ownSources(),
    react(),
    compression({ algorithms: ['gzip'] }),
    // The viewer of /docs alone would take longer than all else together.
    compression({ algorithms: ['brotliCompress'], exclude: /swagger-ui-bundle/ }),
  ],
  build: {
    outDir: 'dist',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { bundlerTimings: false },
      input: ['index.html', 'docs.html'].map((page) => fileURLToPath(new URL(page, import.meta.url))),
    },
  },
  server: { proxy: { '/console': 'http://127.0.0.1:8080', '/v1': 'http://127.0.0.1:8080' } },
});

/** Rooms of ours are read as source, so that the page needs no build before its own. Others' packages have a `source` too, and do not ship it. */
function ownSources(): Plugin {
  return {
    name: 'own-sources',
    enforce: 'pre',
    resolveId(id) {
      const [, room, subpath = ''] = /^@perch\/([^/]+)(\/.*)?$/.exec(id) ?? [];
      if (room === undefined) return null;
      const description = new URL(`../${room}/package.json`, import.meta.url);
      const { exports } = JSON.parse(readFileSync(description, 'utf8')) as { exports: Record<string, { source: string }> };
      const entry = exports[`.${subpath}`];
      return entry === undefined ? null : fileURLToPath(new URL(entry.source, description));
    },
  };
}
