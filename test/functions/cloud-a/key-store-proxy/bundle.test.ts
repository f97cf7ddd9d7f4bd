import { rmSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { buildFunctions } from '../../../../infra/build.ts'
import { FUNCTIONS } from '../../../../infra/functions.ts'
import { temporaryFolder } from '../../../infra/local/deployment-support.ts'

const outDir = temporaryFolder()
afterAll(() => rmSync(outDir, { recursive: true }))

test('the data plane contains only what it needs: no SDK, no schemas, at most 60 KiB packed', async () => {
  const [bundle] = await buildFunctions({ outDir, functions: FUNCTIONS.filter(({ name }) => name === 'xks') })
  expect(bundle?.gzipBytes).toBeLessThan(60 * 1_024)
  expect(bundle?.startBytes).toBe(bundle?.bytes)
})
