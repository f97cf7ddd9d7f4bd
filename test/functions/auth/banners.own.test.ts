import { beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { useService } from '../../support/service.ts'

const service = useService()
let admin = ''
let user = ''
let child = ''

beforeAll(async () => {
  admin = await service().logIn()
  ;({ token: user } = await service().userIn(admin, 'user', []))
  ;({ child } = await childAdmin(service()))
})

const PRE = '/v1/auth/banners/pre-auth'
const POST = '/v1/auth/banners/post-auth'
const patch = (path: string, body: object, token?: string, headers: Record<string, string> = {}) =>
  service().call('PATCH', path, { token, body, headers })
const get = (path: string, token?: string) => service().call('GET', path, { token })

test('banners are empty until they are set, and each is shown to its readers', async () => {
  expect((await get(PRE)).body).toEqual({ message: '' })
  expect((await get(POST, user)).body).toEqual({ message: '' })
  const message = 'Authorised use only.\n<b>Ünser</b> system'
  const set = await patch(PRE, { message }, admin)
  expect(set).toMatchObject({ status: 200, body: { message } })
  expect((await patch(POST, { message: 'Welcome' }, admin)).status).toBe(200)
  const shown = await get(PRE)
  expect(shown.body).toEqual({ message })
  expect(shown.headers.get('etag')).toBe(set.headers.get('etag'))
  expect((await get(POST, child)).body).toEqual({ message: 'Welcome' })
  expect((await get(POST)).status).toBe(401)
  const { body } = await service().call('GET', '/v1/audit/records?message=Update%20Log-in%20Banner', { token: admin })
  expect(body.resources[0]).toMatchObject({ success: true, details: { before: { message: '' }, after: { message } } })
})

test('only administrators of the root domain set them', async () => {
  for (const path of [PRE, POST]) {
    const before = (await get(path, admin)).body
    expect((await patch(path, { message: 'mine' })).status).toBe(401)
    for (const token of [user, child]) expect((await patch(path, { message: 'mine' }, token)).status).toBe(403)
    expect((await get(path, admin)).body).toEqual(before)
  }
})

test('a stale change and a message that is no text of 4096 characters are refused', async () => {
  const { headers } = await patch(PRE, { message: 'one' }, admin)
  const etag = headers.get('etag') ?? ''
  expect((await patch(PRE, { message: 'x'.repeat(4_096) }, admin, { 'if-match': etag })).status).toBe(200)
  expect((await patch(PRE, { message: 'three' }, admin, { 'if-match': etag })).status).toBe(412)
  for (const [body, status] of [
    [{ message: 'x'.repeat(4_097) }, 422],
    [{}, 422],
    [{ message: 1 }, 400],
    [{ message: 'x', html: true }, 400],
  ] as const)
    expect((await patch(PRE, body, admin)).status).toBe(status)
  expect((await get(PRE)).body.message).toHaveLength(4_096)
  expect((await patch(PRE, { message: '' }, admin)).body).toEqual({ message: '' })
})
