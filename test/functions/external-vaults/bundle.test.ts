import { readdirSync, readFileSync, rmSync } from 'node:fs'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { buildFunctions } from '../../../infra/build.ts'
import { FUNCTIONS } from '../../../infra/functions.ts'
import { temporaryFolder } from '../../infra/local/deployment-support.ts'

const outDir = temporaryFolder()
afterAll(() => rmSync(outDir, { recursive: true }))

test('the data plane loads at its start only what it needs, and contains neither SDK nor schemas', async () => {
  const [bundle] = await buildFunctions({
    outDir,
    functions: FUNCTIONS.filter(({ name }) => name === 'external-vaults'),
  })
  expect(bundle?.startBytes).toBeLessThan(64 * 1_024)
  const folder = path.join(outDir, 'external-vaults')
  const code = readdirSync(folder)
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => readFileSync(path.join(folder, file), 'utf8'))
    .join('\n')
  for (const name of ['ZodError', 'DynamoDBClient', 'middy']) expect(code).not.toContain(name)
  expect(code).toContain('aes-256-gcm')
})
