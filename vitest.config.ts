import { spawnSync } from 'node:child_process'
import { defineConfig } from 'vitest/config'

const javaExists = spawnSync('java', ['-version']).status === 0

/** Ends a test that hangs, and no test that is slow on a busy machine. */
const shared = { pool: 'forks', testTimeout: 60_000, hookTimeout: 120_000 } as const

/** Tests too slow for every run: `npm run test:long`. */
const LONG = 'test/**/*.long.test.ts'
/** Tests that drive a browser: `npm run test:browser`. */
const BROWSER = 'test/browser/**/*.test.ts'

/**
 * Tests that point the modules of their process at services of their own, with `pointProcessAt`, or add a row to them.
 * All others share processes: a module is loaded once for many files.
 */
const OWN_PROCESS = [
  'test/shared/{audit,certificates,http,identity,keyring,serving,store,work}/**/*.test.ts',
  'test/shared/wiring.test.ts',
  'test/shared/clouds/cloud-b/vault-names.test.ts',
  'test/shared/clouds/throw-away/throw-away.test.ts',
  'test/functions/cloud-a/key-store-proxy/*.test.ts',
  'test/functions/connections/test-connection.test.ts',
  'test/functions/clients/sealed-tokens.test.ts',
  'test/functions/connections/request-keys-resealed.test.ts',
  'test/functions/tokens-refused.test.ts',
]

const onDynoxide = { KEYMGR_TEST_ENGINE: 'dynoxide' }
const ownProcess = { KEYMGR_TEST_PROCESS: 'own' }

/**
 * Everything runs on dynoxide. The store's own tests run on DynamoDB Local as well, where Java exists: with the long ones,
 * since that takes five times as long.
 */
export default defineConfig({
  test: {
    maxWorkers: 2,
    onConsoleLog: (text) => !text.startsWith('oidc-provider '), // it warns that it is set up for tests
    globalSetup: ['test/support/build.ts'],
    projects: [
      {
        test: {
          ...shared,
          name: 'dynoxide',
          include: ['test/**/*.test.ts'],
          exclude: [LONG, BROWSER, ...OWN_PROCESS],
          isolate: false,
          env: onDynoxide,
        },
      },
      {
        test: {
          ...shared,
          name: 'dynoxide-own-process',
          include: OWN_PROCESS,
          exclude: [LONG],
          env: { ...onDynoxide, ...ownProcess },
        },
      },
      {
        test: {
          ...shared,
          testTimeout: 300_000,
          name: 'long',
          include: [LONG],
          env: { ...onDynoxide, ...ownProcess },
        },
      },
      {
        test: {
          ...shared,
          testTimeout: 120_000,
          name: 'browser',
          expect: { poll: { timeout: 30_000 } },
          include: [BROWSER],
          env: { ...onDynoxide, ...ownProcess },
        },
      },
      ...(javaExists
        ? [
            {
              test: {
                ...shared,
                name: 'dynamodb-local',
                include: ['test/shared/store/**/*.test.ts'],
                env: { KEYMGR_TEST_ENGINE: 'dynamodb-local', ...ownProcess },
              },
            },
          ]
        : []),
    ],
  },
})
