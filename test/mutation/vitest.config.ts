import { defineConfig } from 'vitest/config'

/** Unit tests of one room, which `KEYMGR_MUTATED` names: `rego`, `crypto/asn1`. They need no bundles. */
const room = process.env.KEYMGR_MUTATED ?? ''

export default defineConfig({
  test: {
    include: [`test/shared/${room}/**/*.test.ts`, `test/shared/${room}.test.ts`],
    exclude: ['**/*.long.test.ts', '**/*.own.test.ts'],
    testTimeout: 60_000,
    setupFiles: 'test/support/log-lines.ts',
    silent: 'passed-only',
  },
})
