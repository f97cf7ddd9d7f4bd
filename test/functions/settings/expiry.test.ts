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

test('keys are not checked after the notice was disabled', async () => {
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

/** The counted keys of a place. */
interface Totals {
  readonly total: number
  readonly lives: Readonly<Record<'in_use' | 'not_yet' | 'disabled' | 'ending', number>>
}

test('keys are counted once each by place and life, as far as the caller may list them', async () => {
  const { service, admin, vaults } = tests()
  const totalsFor = async (token: string): Promise<Record<string, Totals>> => {
    const { status, body } = await service.call('GET', '/v1/keymgr/key-totals', { token })
    expect(status).toBe(200)
    return Object.fromEntries(body.resources.map((each: any) => [each.place, each]))
  }
  const before = await totalsFor(await service.logIn())
  expect(Object.keys(before)).toEqual(['local', ...CLOUDS.filter(isOffered).map(({ name }) => name)])
  const keys = keysOf(admin)
  await keys.create('counted', {}, 'plain')
  await keys.create('counted', {}, 'plain') // another version of it
  await keys.create('counted-off', { attributes: { enabled: false } }, 'plain')
  await keys.act((await keys.create('counted-gone')).id as string, 'soft-delete')
  for (const state of ['Active', 'Pre-Active'])
    await admin.create({ name: `counted-${state}`, algorithm: 'aes', state })
  const after = await totalsFor(await service.logIn())
  const { total = 0, lives } = before['cloud-b'] ?? {}
  expect(after['cloud-b']).toMatchObject({ total: total + 3, complete: true })
  expect(lives && after['cloud-b']?.lives).toEqual(
    lives && { ...lives, in_use: lives.in_use + 1, disabled: lives.disabled + 1, ending: lives.ending + 1 },
  )
  expect(after['cloud-b']?.total).toBe((await keys.list('?version=-1&limit=1')).total)
  const addedHere = (after.local?.total ?? 0) - (before.local?.total ?? 0)
  expect([addedHere, after.local?.lives.not_yet]).toEqual([2, (before.local?.lives.not_yet ?? 0) + 1])

  const reader = await service.userIn(await service.logIn(), 'counter', ['keymgr Users'])
  expect(await totalsFor(reader.token)).toMatchObject({ 'cloud-b': { total: 0 } })
  const acls = [{ user_id: reader.userId, permit: true, actions: ['view'] }]
  await admin.ok('POST', `${CLOUD_B}/vaults/${vaults.plain.id as string}/update-acls`, { acls })
  const seen = await totalsFor(reader.token)
  expect(seen).not.toHaveProperty('local')
  expect(seen['cloud-b']?.total).toBe((await keys.list(`?version=-1&key_vault_id=${vaults.plain.id as string}`)).total)
  const { token } = await service.userIn(await service.logIn(), 'nobody-counts', [])
  expect(await totalsFor(token)).toEqual({})
})

test('units are the keys on record, cloud by cloud', async () => {
  const { body } = await ask('GET', '/v1/keymgr/cloud-units')
  const { total } = (await ask('GET', `${CLOUD_B}/keys?limit=1`)).body
  expect(body.resources).toContainEqual({ cloud_name: 'cloud-b', used: total, limit: -1 })
  expect(body.resources.map(({ cloud_name }: any) => cloud_name)).toEqual(
    CLOUDS.filter(isOffered).map(({ name }) => name),
  )
})
