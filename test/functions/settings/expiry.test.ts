import { expect, test } from 'vitest'
import { isOffered } from '../../../shared/cloud/cloud-row.ts'
import { CLOUDS } from '../../../shared/clouds/all.ts'
import { childAdmin } from '../../support/callers.ts'
import { CLOUD_B } from '../cloud-b/cloud-b.ts'
import { keysOf, useKeys } from '../cloud-b/keys.ts'

const DAY_MS = 86_400_000
const AT = '/v1/keymgr/settings/cloud_b_key_expiry_notification'
const tests = useKeys()

const ask = async (method: string, path: string, body?: unknown) => {
  const { service } = tests()
  return service.call(method, path, { token: await service.logIn(), ...(body !== undefined && { body }) })
}
const look = async (): Promise<unknown> => tests().service.deployment.fire('notice-key-expiry')
const notices = async (): Promise<any[]> =>
  (await ask('GET', '/v1/audit/records?message=Notice%20Key%20Expiry')).body.resources

const expiresIn = (days: number) => ({
  attributes: { exp: Math.floor(tests().service.deployment.clock.now().getTime() / 1_000) + days * 86_400 },
})

test('a key that expires within the notice leaves one record and turns the alarm on', async () => {
  const soon = await keysOf(tests().admin).create('ends-soon', expiresIn(20), 'plain')
  await keysOf(tests().admin).create('ends-later', expiresIn(60), 'plain')
  expect(await look()).toEqual({ noticed: 0 }) // the notice is not enabled yet
  expect(await ask('GET', AT)).toMatchObject({ status: 200, body: { enabled: false, notify_before: 30 } })
  expect(await ask('PATCH', AT, { enabled: true })).toMatchObject({ body: { enabled: true, notify_before: 30 } })
  expect(await look()).toEqual({ noticed: 1 })
  expect(await look()).toEqual({ noticed: 0 })
  const [notice] = await notices()
  expect(notice).toMatchObject({ service: 'cloud-b', severity: 'warning', details: { resource_uri: soon.uri } })
  const { deployment } = tests().service
  await deployment.fire('drain-outbox')
  await deployment.fire('raise-alarms')
  const { body } = await ask('GET', '/v1/system/alarms?name=Key%20expires')
  expect(body.resources).toMatchObject([{ state: 'on', count: 1 }])
  deployment.clock.advance(DAY_MS)
  expect(await look()).toEqual({ noticed: 0 })
  await ask('PATCH', AT, { notify_before: 60 })
  expect(await look()).toEqual({ noticed: 1 })
  expect(await notices()).toHaveLength(2)
})

test('nothing is looked for after it was switched off', async () => {
  await ask('PATCH', AT, { enabled: true })
  await ask('PATCH', AT, { enabled: false })
  await keysOf(tests().admin).create('ends-unseen', expiresIn(5), 'plain')
  expect(await look()).toEqual({ noticed: 0 })
})

test('a setting belongs to its domain, and administrators change it', async () => {
  const { service } = tests()
  const { child } = await childAdmin(service)
  await ask('PATCH', AT, { notify_before: 7 })
  expect((await service.call('GET', AT, { token: child })).body).toEqual({ enabled: false, notify_before: 30 })
})

test.each([
  ['a field that there is not', { days: 1 }, 400],
  ['a number of days out of range', { notify_before: 366 }, 422],
  ['a number of days of another type', { notify_before: '7' }, 400],
])('%s is refused', async (_what, body, status) => {
  expect((await ask('PATCH', AT, body)).status).toBe(status)
})

test('an outdated ETag is refused', async () => {
  const { service } = tests()
  const token = await service.logIn()
  const call = (headers: Record<string, string>) =>
    service.call('PATCH', AT, { token, body: { notify_before: 9 }, headers })
  expect((await call({ 'if-match': '"0"' })).status).toBe(412)
})

test('vaults that are added get the limit of backups of their domain', async () => {
  const backups = '/v1/keymgr/settings/backups'
  expect((await ask('GET', backups)).body).toEqual({ cloud_key_backup_limit: 10, take_backup_on_sync: false })
  expect((await ask('PATCH', backups, { cloud_key_backup_limit: 3 })).body).toMatchObject({ cloud_key_backup_limit: 3 })
  expect((await ask('PATCH', backups, { take_backup_on_sync: 'yes' })).status).toBe(400)
  expect((await ask('PATCH', backups, { cloud_key_backup_limit: 0 })).status).toBe(422)
  await ask('PATCH', backups, { cloud_key_backup_limit: 10 })
})

test('units are the keys on record, cloud by cloud', async () => {
  const { body } = await ask('GET', '/v1/keymgr/cloud-units')
  const { total } = (await ask('GET', `${CLOUD_B}/keys?limit=1`)).body
  expect(body.resources).toContainEqual({ cloud_name: 'cloud-b', used: total, limit: -1 })
  expect(body.resources.map(({ cloud_name }: any) => cloud_name)).toEqual(
    CLOUDS.filter(isOffered).map(({ name }) => name),
  )
})
