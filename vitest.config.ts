import { spawnSync } from 'node:child_process'
import { defineConfig } from 'vitest/config'

const javaExists = spawnSync('java', ['-version']).status === 0

const shared = { pool: 'forks', testTimeout: 30_000, hookTimeout: 60_000 } as const

/** Everything runs on dynoxide; the store's own tests run on DynamoDB Local as well, where Java exists. */
export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: ['test/support/build.ts'],
    projects: [
      {
        test: { ...shared, name: 'dynoxide', include: ['test/**/*.test.ts'], env: { KEYMGR_TEST_ENGINE: 'dynoxide' } },
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
