import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { BOB, refused, useKacls } from './kacls.ts'

const kacls = useKacls()
let endpoint: any
beforeAll(async () => {
  endpoint = await kacls().create()
})

test.each([1, 16, 32, 128])('a key of %i bytes is wrapped and unwrapped', async (bytes) => {
  const key = randomBytes(bytes)
  const blob = await kacls().wrapped(endpoint, key)
  expect(Buffer.from(blob, 'base64').length).toBeLessThanOrEqual(1_024)
  const { status, body, headers } = await kacls().unwrap(endpoint, blob)
  expect({ status, body }).toEqual({ status: 200, body: { key: key.toString('base64') } })
  expect(headers['cache-control']).toBe('no-store')
})

test('a key wrapped twice gives two blobs', async () => {
  const key = randomBytes(32)
  expect(await kacls().wrapped(endpoint, key)).not.toBe(await kacls().wrapped(endpoint, key))
})

test.each([
  ['empty', ''],
  ['of 129 bytes', randomBytes(129).toString('base64')],
  ['that is no base64', 'a key!'],
  ['that is no text', 7],
])('a key %s is refused', async (_what, key) => {
  expect(await kacls().call(endpoint, 'wrap', { key })).toEqual(refused(400))
})

test('another user cannot unwrap what the suite permits to Ada', async () => {
  const blob = await kacls().wrapped(endpoint)
  const authentication = await kacls().authentication({ email: BOB })
  expect(await kacls().unwrap(endpoint, blob, { authentication })).toEqual(refused(403))
  expect(await kacls().unwrap(endpoint, blob, { email: BOB })).toEqual(expect.objectContaining({ status: 200 }))
})

test('a key unwraps only for its own resource, at its own endpoint', async () => {
  const other = await kacls().create()
  const blob = await kacls().wrapped(endpoint)
  const what = { resource_name: '//googleapis.com/drive/files/second' }
  expect(await kacls().unwrap(endpoint, blob, { what })).toEqual(refused(403))
  expect(await kacls().unwrap(other, blob)).toEqual(refused(400))
})
