import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Test processes cache the compiled code of packages: each file with a process of its own loads the same ones. */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('dist/compiled', import.meta.url))

const javaExists = spawnSync('java', ['-version']).status === 0

/** A limit that ends a hanging test, but not a slow one on a busy machine. */
const shared = {
  pool: 'forks',
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
  setupFiles: 'test/support/log-lines.ts',
  execArgv: ['--min-semi-space-size=16'] as string[], // a function's start collects garbage less often: a quarter of its time
} as const

/** Tests that are too slow for every run: `npm run test:long`. */
const LONG = 'test/**/*.long.test.ts'
/** Tests that use a browser: `npm run test:browser`. */
const BROWSER = 'test/browser/**/*.test.ts'

/**
 * Tests that need a separate process, and a separate deployment if they use one: they point modules at their own
 * services (`pointProcessAt`), need special settings, the root domain or their own administrator, or stop what others
 * need. All others share processes: modules are loaded, and a deployment is started, once for many files.
 */
const OWN = 'test/**/*.own.test.ts'

const onDynoxide = { KEYMGR_TEST_ENGINE: 'dynoxide' }
const ownProcess = { KEYMGR_TEST_PROCESS: 'own' }

/**
 * Everything runs on dynoxide. The store's own tests also run on DynamoDB Local, where Java exists: together with the
 * long ones, since that takes five times as long.
 */
export default defineConfig({
  test: {
    maxWorkers: 2,
    silent: 'passed-only',
    onConsoleLog: (text) => !text.startsWith('oidc-provider '), // it warns that it is configured for tests
    globalSetup: ['test/support/build.ts'],
    projects: [
      {
        test: {
          ...shared,
          name: 'dynoxide',
          include: ['test/**/*.test.ts'],
          exclude: [LONG, BROWSER, OWN],
          isolate: false,
          env: onDynoxide,
        },
      },
      {
        test: {
          ...shared,
          name: 'dynoxide-own-process',
          include: [OWN],
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
          testTimeout: 300_000,
          name: 'browser',
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
