import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectRefused, useVault } from '../vault/vault.ts'
import { startProvider, workspaceOf, type Provider } from './workspace-cse.ts'

const vault = useVault({ environment: { KEYMGR_KACLS_LOOPBACK: 'refused' } })
let provider: Provider
beforeAll(async () => {
  provider = await startProvider()
})
afterAll(() => provider.stop())

test('a deployment calls its own machine only if a setting permits it', async () => {
  const cse = workspaceOf(vault().admin, provider)
  const { port } = new URL(provider.origin)
  const addresses = [
    provider.keySet,
    `https://127.0.0.1:${port}/`,
    `https://localhost:${port}/`,
    `https://[::1]:${port}/`,
  ]
  for (const jwksURL of addresses) expectRefused(await cse.tryIssuer({ jwksURL }), 422, 2, '#/jwksURL')
  expect(provider.asked).toEqual([])
})
