import * as path from 'node:path'
import { expect, test } from 'vitest'
import { ROUTES } from '../../infra/routes.ts'
import { atOnce } from '../../shared/base/at-once.ts'
import { offersDryRun } from '../../shared/http/dry-run.ts'
import { CLOUD_A, keysOf, REGION, useCloudA } from './cloud-a/cloud-a.ts'
import { createClock } from '../../infra/local/clock.ts'
import { temporaryFolder } from '../infra/local/deployment-support.ts'
import { Service } from '../support/service.ts'
import { itemsOf } from '../support/table-items.ts'
import { startTestDeployment } from '../support/test-deployment.ts'
import { KEPT, unpack } from '../upgrade/kept.ts'
import { BASIC, ENDPOINTS, HOST } from './ekm/ekm.ts'
import { expectRefused } from './vault/vault.ts'

const cloudA = useCloudA()
const admin = () => cloudA().admin
const deployment = () => cloudA().service.deployment

/** Operations of the cloud that change nothing. */
const READS = /^(Describe|List|Get)/

/** Runs `work`, and checks that the table and the cloud are the same afterwards. */
async function changingNothing<T>(work: () => Promise<T>): Promise<T> {
  await admin().token()
  const called: string[] = []
  const remove = deployment().cloudA.inject({
    ...{ fault: 'observe', service: 'kms' },
    after: ({ operation }) => {
      called.push(operation)
    },
  })
  const before = await itemsOf(deployment())
  const done = await work()
  const after = await itemsOf(deployment())
  expect(after.filter((item) => !before.includes(item))).toEqual([])
  expect(after).toEqual(before)
  remove()
  expect(called.filter((operation) => !READS.test(operation))).toEqual([])
  return done
}

const tried = (method: string, path: string, body?: object): Promise<any> =>
  changingNothing(() => admin().ok(method, `${path}${path.includes('?') ? '&' : '?'}dry_run=true`, body))

const made = async (path: string, body: object): Promise<any> => admin().ok('POST', path, body)
const change = (action: string, { uri, name }: any) => ({ action, resource_uri: uri, resource_name: name })

test('the dry run of a key deletion lists the changes and the uses of the key', async () => {
  const key = await admin().create({ name: 'endpoint-key', algorithm: 'aes', unexportable: true, undeletable: true })
  const body = { name: 'over it', keyURIHostname: HOST, existing_key_id: key.id, policy: BASIC }
  const endpoint = await made(ENDPOINTS, body)
  const at = `/v1/vault/keys2/${key.id as string}`
  const revoked = await tried('POST', `${at}/revoke`, { reason: 'Superseded' })
  expect(revoked).toMatchObject({ dry_run: true, changes: [change('update', key)], continues: false })
  const rotated = await tried('POST', `${at}/versions`, {})
  expect(rotated.changes).toContainEqual(change('update', key))
  expect(rotated.changes).toContainEqual(
    expect.objectContaining({ action: 'create', resource_uri: expect.stringMatching(/endpoint-key-v1$/) }),
  )
  expect(rotated.changes).toContainEqual(change('update', endpoint))
  expect(revoked.uses).toEqual([{ kind: 'EKM endpoint', count: 1, names: ['over it'] }])
  expect((await admin().get(key.id)).state).toBe('Active')
  const { holder } = await cloudA().user('keeper', ['Key Admins'])
  const seen = await holder.ok('POST', `${at}/versions?dry_run=true`, {})
  expect(seen.changes).toHaveLength(2) // the endpoint is for administrators of endpoints
  expect(seen.uses).toEqual([{ kind: 'EKM endpoint', count: 1, names: [] }])
})

test('a dry run is refused where the real call would be', async () => {
  const key = await admin().create({ name: 'kept', algorithm: 'aes', undeletable: true })
  const at = `/v1/vault/keys2/${key.id as string}`
  const dry = await changingNothing(() => admin().call('DELETE', `${at}?dry_run=true`))
  const real = await admin().call('DELETE', at)
  expect([dry.status, dry.body.detail]).toEqual([real.status, real.body.detail])
  expect(real.status).toBeGreaterThanOrEqual(400)
  expectRefused(await admin().call('POST', `${at}/archive?dry_run=yes`), 400, 1, 'dry_run')
  expectRefused(await admin().call('POST', `/v1/vault/keys2?dry_run=true`, { name: 'new' }), 400, 1, 'dry_run')
  expect((await admin().call('POST', `${at}/archive?dry_run=false`)).body).toMatchObject({ id: key.id })
})

test('the dry run of a cloud key changes neither the table nor the cloud', async () => {
  const key = await keysOf(admin()).create({})
  const at = `${CLOUD_A}/keys/${key.id as string}`
  for (const [action, body] of [
    ['disable', undefined],
    ['schedule-deletion', { days: 7 }],
    ['disable-auto-rotation', undefined],
    ['update-description', { description: 'other' }],
  ] as const) {
    const path = `${at}/${action}?dry_run=true`
    const { status, body: answer } = await changingNothing(() => admin().call('POST', path, body))
    if (status === 200) expect(answer).toMatchObject({ dry_run: true, continues: true })
    else expect(status, JSON.stringify(answer)).toBeGreaterThanOrEqual(400)
  }
  const disabled = await tried('POST', `${at}/disable`)
  expect(disabled.changes).toMatchObject([{ action: 'update', resource_uri: key.uri }])
  expect(cloudA().seen(await keysOf(admin()).get(key.id))).toMatchObject({ state: 'Enabled' })
})

test('containers, connections, people and settings stay as they are', async () => {
  const key = await keysOf(admin()).create({})
  const removed = await tried('DELETE', `${CLOUD_A}/kms/${cloudA().kms.id as string}`)
  expect(removed.changes).toContainEqual(change('delete', cloudA().kms))
  const group = await made('/v1/usermgmt/groups', { name: 'dry group' })
  const user = await made('/v1/usermgmt/users', { username: 'dry-user', password: 'Correct-horse-7' })
  const policy = await made('/v1/vault/key-policies', { name: 'dry policy' })
  for (const path of [
    `/v1/usermgmt/groups/${encodeURIComponent(group.name as string)}`,
    `/v1/usermgmt/users/${encodeURIComponent(user.user_id as string)}`,
    `/v1/vault/key-policies/${policy.id as string}`,
  ])
    expect(await tried('DELETE', path)).toMatchObject({ dry_run: true, continues: false })
  expect((await keysOf(admin()).get(key.id)).region).toBe(REGION)
})

const ID = '01890000-0000-7000-8000-00000000ffff'

test('no route that offers a dry run changes anything in one', { timeout: 240_000 }, async () => {
  const offered = ROUTES.filter(offersDryRun)
  expect(offered.length).toBeGreaterThan(150)
  const faults: string[] = []
  await changingNothing(() =>
    atOnce(offered, 4, async ({ method, path: pattern }) => {
      const target = pattern.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'svc' ? 'cloud-a' : ID))
      const { status } = await admin().call(method, `${target}?dry_run=true`, method === 'DELETE' ? undefined : {})
      if (status >= 500 && status !== 501) faults.push(`${status} ${method} ${pattern}`)
    }),
  ).catch((error: unknown) => faults.push(String(error)))
  expect(faults).toEqual([])
})

/** Calls of every route that offers a dry run, on the first three kept records of each list. */
const callsOn = (lists: Readonly<Record<string, readonly { readonly id?: unknown }[]>>) =>
  ROUTES.filter(offersDryRun).flatMap(({ method, path: pattern }) => {
    const [list = '', rest = '', ...more] = pattern.split(/\/\{\w+\}/)
    const ids = (lists[list] ?? []).flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
    if (more.length > 0) return []
    return ids.slice(0, 3).map((id) => ({ method, target: `${list}/${encodeURIComponent(id)}${rest}` }))
  })

test('no dry run on kept records of every kind changes the table', { timeout: 240_000 }, async () => {
  const dataDir = temporaryFolder()
  const expected = unpack(path.join(KEPT, '0.1.0.tar.gz'), dataDir)
  const clock = createClock()
  clock.set(new Date(expected.at))
  const service = new Service(await startTestDeployment({ inMemory: false, dataDir, clock }))
  try {
    const token = await service.logIn()
    const before = await itemsOf(service.deployment)
    const calls = callsOn(expected.lists)
    const answered = await atOnce(calls, 4, async ({ method, target }) => {
      const body = method === 'DELETE' ? undefined : {}
      const { status } = await service.call(method, `${target}?dry_run=true`, { token, body })
      return `${status} ${method} ${target}`
    })
    expect(answered.filter((line) => line.startsWith('200')).length).toBeGreaterThan(40)
    expect(answered.filter((line) => line.startsWith('500'))).toEqual([])
    const after = await itemsOf(service.deployment)
    expect(after.filter((item) => !before.includes(item))).toEqual([])
    expect(after).toEqual(before)
  } finally {
    await service.deployment.stop()
  }
})
