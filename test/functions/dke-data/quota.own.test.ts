import { expect, test } from 'vitest'
import { BOB, refused, useDke } from './dke-data.ts'

const dke = useDke({ environment: { KEYMGR_DKE_CALLS_PER_SECOND: '0.01' } })

test('a person above the quota of an endpoint must retry later, and others are not affected', async () => {
  const endpoint = await dke().create()
  const { kid, value } = await dke().protect(endpoint)
  expect((await dke().decrypt(kid, value)).status).toBe(200)
  const throttled = await dke().decrypt(kid, value)
  expect(throttled).toEqual(refused(429))
  expect(throttled.headers['retry-after']).toBe('1')
  expect((await dke().decrypt(kid, value, { upn: BOB })).status).toBe(200)
})
