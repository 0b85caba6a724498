import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // The client is compiled from its source, so that a build needs no other build before it.
  resolve: {
    alias: { 'animal-store-client': fileURLToPath(new URL('../client/src/index.ts', import.meta.url)) },
    dedupe: ['openapi-fetch'],
  },
  build: { assetsDir: '', modulePreload: { polyfill: false }, chunkSizeWarningLimit: 1_200 },
  // The page is /console, without a slash, and its files lie below it. A proxy may put a prefix before both.
  experimental: {
    renderBuiltUrl: (filename, { hostType }) =>
      hostType === 'html' ? `console/${filename}` : { relative: true },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:3000' } },
});
