import { expect, test } from 'vitest'
import { ADMIN_PASSWORD, useService } from '../support/service.ts'

// A burst of one call, and hours until the next.
const service = useService({ environment: { KEYMGR_CALLS_PER_SECOND: '0.0001' } })

test('too many calls are refused with 429, by domain with a token and by address without', async () => {
  const logIn = () => service().call('POST', '/v1/auth/tokens', { body: { name: 'admin', password: ADMIN_PASSWORD } })
  const { status, body } = await logIn()
  expect(status).toBe(200)
  const refused = await logIn()
  expect(refused.status).toBe(429)
  expect(refused.body).toMatchObject({ code: 14, status: 429 })
  expect(refused.headers.get('retry-after')).toBe('1')
  const read = () => service().call('GET', '/v1/vault/keys2', { token: body.jwt as string })
  expect([(await read()).status, (await read()).status]).toEqual([200, 429])
})
