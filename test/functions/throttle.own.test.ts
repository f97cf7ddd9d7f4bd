import { expect, test } from 'vitest'
import { openApiDocument } from '../../infra/openapi.ts'
import { ADMIN_PASSWORD, useService, type Answered } from '../support/service.ts'

// Allows one call, and the next one hours later. Without a token, a fifth of that.
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

test('each answer of a limited route contains the number of remaining calls, also a refusal', async () => {
  const said = ({ headers }: Answered) => [headers.get('ratelimit-policy'), headers.get('ratelimit')]
  const seen = await service().call('GET', '/v1/auth/jwks.json') // refused: the address has used up its calls
  expect(seen.status).toBe(429)
  expect(said(seen)[0]).toBe('"address";q=1;w=50000')
  expect(said(seen)[1]).toMatch(/^"address";r=0;t=(49\d{3}|50000)$/)
  const elsewhere = await service().call('GET', '/v1/nothing')
  expect(said(elsewhere)).toEqual([null, null])
})

test('the API description has the header fields of the limit', async () => {
  const { info, components } = (await openApiDocument()) as {
    info: { description: string }
    components: { headers: object; responses: { Problem: { headers: object } } }
  }
  for (const name of ['RateLimit-Policy', 'RateLimit']) {
    expect(components.headers).toHaveProperty([name])
    expect(components.responses.Problem.headers).toHaveProperty([name])
    expect(info.description).toContain(`\`${name}\``)
  }
})
