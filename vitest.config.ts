import { spawnSync } from 'node:child_process'
import { defineConfig } from 'vitest/config'

const javaExists = spawnSync('java', ['-version']).status === 0

/** What hangs is ended; what is slow on a busy machine is not. */
const shared = { pool: 'forks', testTimeout: 60_000, hookTimeout: 120_000 } as const

/** What takes too long to be run all the time: `npm run test:long`. */
const LONG = 'test/**/*.long.test.ts'

/**
 * Everything runs on dynoxide. The store's own tests run on DynamoDB Local as well, where Java exists: with the long ones,
 * since that takes five times as long.
 */
export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: ['test/support/build.ts'],
    projects: [
      {
        test: {
          ...shared,
          name: 'dynoxide',
          include: ['test/**/*.test.ts'],
          exclude: [LONG],
          env: { KEYMGR_TEST_ENGINE: 'dynoxide' },
        },
      },
      {
        test: {
          ...shared,
          testTimeout: 300_000,
          name: 'long',
          include: [LONG],
          env: { KEYMGR_TEST_ENGINE: 'dynoxide' },
        },
      },
      ...(javaExists
        ? [
            {
              test: {
                ...shared,
                name: 'dynamodb-local',
                include: ['test/shared/store/**/*.test.ts'],
                env: { KEYMGR_TEST_ENGINE: 'dynamodb-local' },
              },
            },
          ]
        : []),
    ],
  },
})
