import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compression } from 'vite-plugin-compression2';

/** The gateway serves what this makes, under a policy that allows no inline script and nothing from elsewhere. */
export default defineConfig({
  plugins: [react(), compression({ algorithms: ['gzip', 'brotliCompress'] })],
  // Rooms of ours are read as source, so that the page needs no build before its own.
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: { outDir: 'dist', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: { '/console': 'http://127.0.0.1:8080', '/v1': 'http://127.0.0.1:8080' } },
});
