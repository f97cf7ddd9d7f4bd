import { expect, test } from 'vitest'
import { useDke } from '../dke-data/dke-data.ts'
import { refused, useKacls } from '../kacls/kacls.ts'
import { HOUR, type Vault } from '../vault/vault.ts'

const kacls = useKacls()
const dke = useDke()

async function drill({ admin, at, advance }: Vault, endpoint: any, callers: readonly string[]): Promise<any> {
  const body = { kind: 'endpoint', target: endpoint.id, drill: true, callers, reason: 'practice', until: at(HOUR) }
  const made = await admin.ok('POST', '/v1/emergency/blocks', body)
  advance(5_001)
  return made
}
const hitsOf = async ({ admin, service }: Vault, { id }: any): Promise<any[]> => {
  await service.deployment.logsDelivered()
  return (await admin.ok('GET', `/v1/emergency/blocks/${id as string}/hits`)).resources
}

test('a KACLS endpoint refuses, and its public keys stay published', async () => {
  const { vault } = kacls()
  const endpoint = await kacls().create()
  await kacls().wrapped(endpoint)
  const made = await drill(vault, endpoint, ['ada@shop.example.test'])
  expect(await kacls().wrap(endpoint)).toEqual(refused(403))
  expect((await kacls().wrap(endpoint, undefined, { email: 'bob@shop.example.test' })).status).toBe(200)
  expect((await kacls().get(endpoint, 'certs')).status).toBe(200)
  const callers = async () => (await hitsOf(vault, made)).map(({ caller, calls }) => [caller, calls]).sort()
  await expect.poll(callers).toEqual([
    ['ada@shop.example.test', 1],
    ['bob@shop.example.test', 1],
  ])
})

test('a DKE endpoint reports callers without a token as well', async () => {
  const { vault } = dke()
  const endpoint = await dke().create()
  const made = await drill(vault, endpoint, [])
  await dke().publicKey(endpoint)
  await expect.poll(() => hitsOf(vault, made)).toMatchObject([{ caller: '', calls: 1, function: 'dke-data' }])
})
