import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { useKacls } from '../../functions/kacls/kacls.ts'

const kacls = useKacls({ tlsPort: 'any' })

/** An endpoint whose address is the deployment's own one with TLS, whose certificate the deployment made. */
async function ownEndpoint(): Promise<any> {
  const endpoint = await kacls().create()
  const { tlsBaseUrl = '' } = kacls().vault.service.deployment
  const endpoint_url = tlsBaseUrl + new URL(endpoint.endpoint_url as string).pathname
  return kacls().change(endpoint, { endpoint_url, allow_privileged_unwrap: true })
}

test('a key moves between two endpoints of one laptop over TLS, and opens only at the new one', async () => {
  const [former, next] = [await ownEndpoint(), await ownEndpoint()]
  expect(former.endpoint_url).toMatch(/^https:\/\/localhost:/)
  const lists = [
    [next, 'rewrap-configuration', former],
    [former, 'privileged-unwrap-configuration', next],
  ] as const
  for (const [at, part, other] of lists)
    await kacls().put(at.id as string, part, { kacls_base_url: [other.endpoint_url] })
  kacls().letPass()
  const key = randomBytes(32)
  const old = await kacls().wrapped(former, key)
  const members = { original_kacls_url: former.endpoint_url, wrapped_key: old }
  const moved = await kacls().migration(next, 'rewrap', 'migrator', members)
  expect(moved.status, moved.text).toBe(200)
  const { wrapped_key } = moved.body as { wrapped_key: string }
  expect((await kacls().unwrap(next, wrapped_key)).body).toEqual({ key: key.toString('base64') })
  expect((await kacls().unwrap(former, wrapped_key)).status).toBeGreaterThanOrEqual(400)
  await kacls().lines(1, { endpoint: next.id, operation: 'rewrap', peer: former.endpoint_url, status: 200 })
  await kacls().lines(1, { endpoint: former.id, operation: 'privilegedunwrap', status: 200 })
})
