import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CloudBFault } from '../../../infra/simulators/cloud-b/simulator.ts'
import type { Answered } from '../../support/service.ts'
import { AT_ONCE, rotation, schedulerOf } from '../scheduler/scheduler.ts'
import { CLOUD_B, refused } from './cloud-b.ts'
import { IN, keysOf, uploadBody, useKeys } from './keys.ts'
import { atCloud, synchronized } from './other-people.ts'

/** Other users change something in the cloud, or the cloud refuses a later call, during work of several calls. */
const tests = useKeys(AT_ONCE)
let keys: ReturnType<typeof keysOf>

beforeAll(async () => {
  keys = keysOf(tests().admin)
  await tests().admin.create({ name: 'ec', algorithm: 'ec', curveid: 'prime256v1' })
})
beforeEach(() => tests().cloud.reset())

const HOUR_MS = 3_600_000
async function sweepAfter(ms: number): Promise<void> {
  tests().advance(ms)
  await tests().sweep()
}

/** Runs `then` once, after the next call of an operation on a name has taken effect. */
const after = (operation: string, name: string, then: () => unknown): unknown =>
  tests().cloud.inject({
    ...{ fault: 'observe', operation, times: 1, when: ({ path }) => path.includes(name) },
    after: async () => {
      await then()
    },
  } satisfies CloudBFault)
const deleteThere = (name: string, kind = 'keys') => atCloud(tests().cloud, IN.premium, 'DELETE', `/${kind}/${name}`)
const statusesOf = async (name: string): Promise<string[]> => (await keys.versions(name)).map(({ status }) => status)
/** Checks that every version in the cloud is recorded, with its state there. */
async function isTrue(name: string): Promise<void> {
  const there = tests().cloud.keyOf(IN.premium, name)
  const records = await keys.versions(name)
  const status = there?.deleted === true ? 'SOFT-DELETED' : 'ACTIVE'
  const live = records.filter((one) => one.status !== 'DELETED')
  expect(live.map(({ version }) => version).sort()).toEqual((there?.versions ?? []).map(({ id }) => id).sort())
  for (const record of live) expect(record).toMatchObject({ status, gone: false })
}
const made = async (name: string): Promise<any> => {
  await keys.create(name)
  tests().advance(1_000) // versions of the same second have no order, and need an additional call
  return keys.create(name)
}

describe('others delete a key in the middle of', () => {
  test.each(['KeyListVersions', 'KeyGet'])(
    'a refresh, after %s: no version is taken for purged, and the next refresh finds all deleted',
    async (call) => {
      const name = `refreshed-${call.toLowerCase()}`
      const key = await made(name)
      after(call, name, () => deleteThere(name))
      expect(await keys.act(key.id, 'refresh')).toMatchObject({ gone: false })
      expect(tests().cloud.keyOf(IN.premium, name)).toMatchObject({ deleted: true })
      expect(await statusesOf(name)).not.toContain('DELETED')
      await keys.act(key.id, 'refresh')
      expect(await statusesOf(name)).toEqual(['SOFT-DELETED', 'SOFT-DELETED'])
      await isTrue(name)
    },
  )

  test('an edit: the edit is refused, and every version is recorded as deleted', async () => {
    const key = await made('edited')
    after('KeyGet', 'edited', () => deleteThere('edited'))
    const { detail } = await refused(keys.tryUpdate(key.id, { tags: { a: 'b' } }), 404, 16, [])
    expect(detail).toContain('KeyNotFound')
    await isTrue('edited')
    expect(await keys.act(key.id, 'recover')).toMatchObject({ status: 'ACTIVE' })
  })

  test('an edit after the change: the edit is refused, and the record has both changes', async () => {
    const key = await keys.create('changed')
    after('KeyUpdate', 'changed', () => deleteThere('changed'))
    await refused(keys.tryUpdate(key.id, { attributes: { enabled: false } }), 404, 16, [])
    expect(await keys.get(key.id)).toMatchObject({
      status: 'SOFT-DELETED',
      cloud_b_param: { attributes: { enabled: false } },
    })
  })

  test('a deletion: the deletion succeeds', async () => {
    const key = await made('deleted-twice')
    await deleteThere('deleted-twice')
    expect(await keys.act(key.id, 'soft-delete')).toMatchObject({ status: 'SOFT-DELETED' })
    await isTrue('deleted-twice')
    tests().cloud.forgetKey(IN.premium, 'deleted-twice') // purged
    expect(await keys.act(key.id, 'hard-delete')).toMatchObject({ status: 'DELETED', gone: true })
    expect(await statusesOf('deleted-twice')).toEqual(['DELETED', 'DELETED'])
  })

  test('a recovery that comes too late: the key is gone, and recorded as such', async () => {
    const key = await made('purged')
    await keys.act(key.id, 'soft-delete')
    tests().cloud.forgetKey(IN.premium, 'purged')
    await refused(keys.tryAct(key.id, 'recover'), 404, 16, [])
    expect(await statusesOf('purged')).toEqual(['DELETED', 'DELETED'])
  })

  test('a synchronization: it is soft-deleted, not gone', async () => {
    await made('synchronized')
    const other = await keys.create('synchronized-other')
    await deleteThere('synchronized-other') // so that the list of deleted keys is read
    after('KeyListDeleted', '/deletedkeys', () => deleteThere('synchronized'))
    const family = `${CLOUD_B}/synchronization-jobs`
    expect(await synchronized(tests(), family, { key_vaults: [IN.premium] })).toMatchObject({ gone: 0 })
    expect(await keys.get(other.id)).toMatchObject({ status: 'SOFT-DELETED' })
    await synchronized(tests(), family, { key_vaults: [IN.premium] })
    await isTrue('synchronized')
  })
})

test('a key that may be listed but not read is named in the job, and all others are read', async () => {
  const { cloud } = tests()
  await cloud.seedKeys(IN.overseas, 3, (n) => ({ name: `seeded-${n}` }))
  cloud.inject({ fault: 'access-denied', operation: 'KeyGet', when: ({ path }) => path.includes('seeded-1') })
  const body = { key_vaults: [IN.overseas] }
  const job = await synchronized(tests(), `${CLOUD_B}/synchronization-jobs`, body)
  expect(job).toMatchObject({ overall_status: 'completed', added: 2, unread: 1 })
  expect(job.errors).toEqual([expect.stringMatching(/seeded-1\/\w+: .*ForbiddenByRbac.* needs a role/)])
})

describe('a scheduled rotation', () => {
  const rotated = async (name: string, before: () => unknown): Promise<any> => {
    const scheduler = schedulerOf(tests())
    const config = await scheduler.create(rotation(`of ${name}`, { cloud_name: 'cloud-b' }))
    for (const [key_name, auto_rotate_key_source] of [
      [name, 'native'],
      [`${name}-local`, 'local'],
      [`${name}-besides`, 'native'],
    ] as const) {
      const key = await keys.create(key_name)
      await keys.act(key.id, 'enable-rotation-job', { job_config_id: config.id, auto_rotate_key_source })
    }
    await before()
    const job = await scheduler.ran(config.id as string)
    expect(job).toMatchObject({ status: 'failed', total_count: 3, success_count: 1, error_count: 2 })
    expect(await keys.versions(`${name}-besides`)).toHaveLength(2)
    for (const one of [name, `${name}-local`]) await isTrue(one)
    return job
  }

  test('skips a key that others disabled since the last reading', async () => {
    const { cloud } = tests()
    const job = await rotated('disabled', () => {
      for (const name of ['disabled', 'disabled-local']) cloud.alterKey(IN.premium, name, { enabled: false })
    })
    expect(job.errors).toEqual(Array(2).fill(expect.stringMatching(/The key is disabled at its cloud/)))
    for (const name of ['disabled', 'disabled-local'])
      expect(await keys.versions(name)).toMatchObject([{ cloud_b_param: { attributes: { enabled: false } } }])
  })

  test('of a key that others deleted is refused, and all of it is recorded', async () => {
    const job = await rotated('removed', () =>
      Promise.all(['removed', 'removed-local'].map((name) => deleteThere(name))),
    )
    expect(job.errors).toEqual(Array(2).fill(expect.stringMatching(/The key is SOFT-DELETED at its cloud/)))
  })

  test('of a key that others delete just before its next version is refused with the remedy', async () => {
    const job = await rotated('going', () => {
      for (const name of ['going', 'going-local']) {
        const path = `/keys/${name}/versions`
        const times = { calls: [2] } // the second read of its versions is the last call before the next version
        tests().cloud.inject({
          ...{ fault: 'observe', operation: 'KeyListVersions', ...times, when: (call) => call.path === path },
          after: async () => {
            await deleteThere(name)
          },
        })
      }
    })
    expect(job.errors).toEqual(Array(2).fill(expect.stringMatching(/Recover or purge what was deleted/)))
  })

  test('of a key to which others added a version keeps that version', async () => {
    const job = await rotated('followed', () => {
      for (const name of ['followed', 'followed-local']) tests().cloud.alterKey(IN.premium, name, { newVersions: 1 })
    })
    expect(job.errors).toEqual(Array(2).fill(expect.stringMatching(/not the latest version any more/)))
    const { resources } = await keys.list(`?key_name=followed&version=-1`)
    expect(resources).toMatchObject([{ key_material_origin: 'unknown', labels: { auto_rotate_key_source: 'native' } }])
  })
})

describe('a name that is taken meanwhile', () => {
  test('by a live key gets its version nevertheless, and nothing of theirs is lost', async () => {
    const { cloud } = tests()
    cloud.inject({ fault: 'server-error', operation: 'KeyImport', times: 1 })
    after('KeyImport', 'contended', () => atCloud(cloud, IN.premium, 'POST', '/keys/contended/create', { kty: 'EC' }))
    const ours = await keys.upload('contended', 'ec')
    expect(ours).toMatchObject({ is_latest: true, key_material_origin: 'keymgr' })
    expect(cloud.keyOf(IN.premium, 'contended')?.versions).toHaveLength(2)
    await keys.act(ours.id, 'refresh')
    await isTrue('contended')
  })

  test('is refused to a repeated restore, and their key stays unchanged', async () => {
    const { cloud } = tests()
    const key = await keys.create('restored')
    await keys.act(key.id, 'backups', {})
    cloud.inject({ fault: 'server-error', operation: 'KeyRestore', times: 1 })
    const theirs = () => atCloud(cloud, IN.spare, 'POST', '/keys/restored/create', { kty: 'EC' })
    after('KeyRestore', '/keys/restore', theirs)
    const restore = () => keys.tryAct(key.id, 'restore', { key_vault: IN.spare })
    const first = await restore()
    const last = first.status === 503 ? await restore() : first
    expect(last, JSON.stringify(last.body)).toMatchObject({ status: 409, body: { code: 16 } })
    expect(cloud.keyOf(IN.spare, 'restored')?.versions).toHaveLength(1)
    expect((await keys.list(`?key_vault=${IN.spare}&key_name=restored`)).total).toBe(0)
  })
})

const policy = { issuer: { name: 'Self' }, key_props: { kty: 'EC' }, x509_props: { subject: 'CN=shop.example' } }
const MAKING = [
  ['key', 'KeyCreate', (key_name: string) => ({ key_name, cloud_b_param: { kty: 'EC' } })],
  ['secret', 'SecretSet', (secret_name: string) => ({ secret_name, cloud_b_param: { value: 'the value' } })],
  ['certificate', 'CertificateCreate', (cert_name: string) => ({ cert_name, cloud_b_param: { policy } })],
] as const

describe.each(MAKING)('credentials that are revoked while a %s is made', (noun, operation, bodyOf) => {
  const family = `${CLOUD_B}/${noun}s`
  const name = `revoked-${noun}`
  const create = (): Promise<Answered> =>
    tests().admin.call('POST', family, { ...bodyOf(name), key_vault: IN.premium }, { 'idempotency-key': name })
  const there = async (): Promise<number> =>
    (await atCloud(tests().cloud, IN.premium, 'GET', `/${noun}s/${name}/versions`)).value.length

  test('leave it waiting: it is on record once when they are good again, by itself', async () => {
    const { cloud, admin } = tests()
    await admin.ok('POST', family, { ...bodyOf(`before-${noun}`), key_vault: IN.premium }) // with a fresh token
    cloud.inject({ fault: 'cut-after', operation, times: 1 })
    after(operation, name, () => cloud.inject({ fault: 'access-denied', when: ({ path }) => path.includes(name) }))
    expect((await create()).status).toBe(503)
    expect((await create()).body.detail).toContain('The started work is kept')
    await sweepAfter(HOUR_MS)
    const list = () => admin.ok('GET', `${family}?${Object.keys(bodyOf(name))[0]}=${name}`)
    expect((await list()).total).toBe(0)
    cloud.reset()
    expect(await there()).toBe(1)
    await sweepAfter(HOUR_MS)
    expect(await list()).toMatchObject({ total: 1, resources: [{ status: 'ACTIVE', is_latest: true }] })
    expect((await create()).status).toBe(201)
    expect(await there()).toBe(1)
  })
})

test.each(['access-denied', 'expired-credentials'] as const)(
  'credentials that are revoked (%s) half-way through a deletion leave a record that says it was not read',
  async (fault) => {
    const { cloud } = tests()
    const name = `half-${fault}`
    const key = await keys.create(name)
    after('KeyDelete', name, () => {
      cloud.inject({ fault, service: 'vault' })
      cloud.inject({ fault, service: 'login' })
    })
    // The cloud accepted the deletion in both cases. Without a log-in the call itself cannot finish.
    const { status } = await keys.tryAct(key.id, 'soft-delete')
    expect(status).toBe(fault === 'access-denied' ? 200 : 502)
    expect(await keys.get(key.id)).toMatchObject({ status: 'ACTIVE', unread: ['key'] })
    await refused(keys.tryUpdate(key.id, { tags: {} }), 502, 16, [])
    cloud.reset()
    const read = await keys.act(key.id, 'refresh')
    expect(read).toMatchObject({ status: 'SOFT-DELETED' })
    expect(read).not.toHaveProperty('unread')
    expect(await keys.act(key.id, 'recover')).toMatchObject({ status: 'ACTIVE' })
  },
)

test('an upload whose credentials are revoked after the import waits, and blocks only its name', async () => {
  const { cloud, admin } = tests()
  await keys.create('before-arrived') // with a fresh token
  cloud.inject({ fault: 'cut-after', operation: 'KeyImport', times: 1 })
  after('KeyImport', 'arrived', () =>
    cloud.inject({ fault: 'access-denied', when: ({ path }) => path.includes('arrived') }),
  )
  const upload = () => admin.call('POST', `${CLOUD_B}/upload-key`, uploadBody('arrived', 'ec'))
  expect((await upload()).status).toBeGreaterThanOrEqual(500)
  await refused(upload(), 502, 16, [])
  const beside = await refused(keys.tryUpload('arrived', 'ec', { hsm: true }), 409, 8, [])
  expect(beside.detail).toContain('waits for its connection')
  expect(await keys.create('besides')).toMatchObject({ status: 'ACTIVE' })
  cloud.reset()
  await sweepAfter(HOUR_MS)
  expect(await keys.versions('arrived')).toMatchObject([{ local_key_name: 'ec', key_material_origin: 'keymgr' }])
  await isTrue('arrived')
})

test('a waiting upload can be abandoned, and its name is then free', async () => {
  const { cloud, admin } = tests()
  await keys.create('before-given-up') // with a fresh token
  cloud.inject({ fault: 'cut-after', operation: 'KeyImport', times: 1 })
  after('KeyImport', 'given-up', () =>
    cloud.inject({ fault: 'access-denied', when: ({ path }) => path.includes('given-up') }),
  )
  const upload = () => admin.call('POST', `${CLOUD_B}/upload-key`, uploadBody('given-up', 'ec'))
  expect((await upload()).status).toBeGreaterThanOrEqual(500)
  const { detail } = await refused(upload(), 502, 16, [])
  const work = `${CLOUD_B}/unfinished-work`
  const [waiting] = (await admin.ok('GET', work)).resources.filter(({ id }: any) => detail.includes(id))
  expect(waiting).toMatchObject({ operation: 'Upload Cloud-b Key', state: 'open', left_at_cloud: {} })
  expect(await admin.ok('POST', `${work}/${waiting.id}/give-up`)).toMatchObject({ state: 'undone' })
  cloud.reset()
  expect(await keys.create('given-up')).toMatchObject({ status: 'ACTIVE' })
})
