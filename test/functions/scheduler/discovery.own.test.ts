import { beforeAll, describe, expect, test } from 'vitest'
import { mainBody } from '../datacust/datacust.ts'
import { CONNECTIONS as CLOUD_B_CONNECTIONS, connectionBody as cloudBBody, SUBSCRIPTION } from '../cloud-b/cloud-b.ts'
import { connectionBody as cloudCBody, CONNECTIONS as CLOUD_C_CONNECTIONS } from '../cloud-c/cloud-c.ts'
import { connectionBody as cloudDBody, CONNECTIONS as CLOUD_D_CONNECTIONS } from '../cloud-d/cloud-d.ts'
import { connectionBody as crmBody, CONNECTIONS as CRM_CONNECTIONS } from '../crm/crm.ts'
import { CONNECTIONS as DATACUST_CONNECTIONS } from '../datacust/datacust.ts'
import { expectRefused, useVault, type Holder } from '../vault/vault.ts'
import { AT_ONCE, CONFIGS, schedulerOf, synchronization } from './scheduler.ts'

const vault = useVault(AT_ONCE)
const PARAMS = '#/add_containers_params'
const deployment = () => vault().service.deployment
let admin: Holder
let scheduler: ReturnType<typeof schedulerOf>

const searching = (name: string, params: object, more: object = {}): any => ({
  name,
  operation: 'add-containers',
  run_at: '0 6 * * *',
  add_containers_params: params,
  ...more,
})

/** The containers of a cloud in the domain, and the call that lists them. */
const CONTAINERS: Readonly<Record<string, string>> = {
  'cloud-a': '/v1/keymgr/cloud-a/kms',
  'cloud-b': '/v1/keymgr/cloud-b/vaults',
  'cloud-c': '/v1/keymgr/cloud-c/key-rings',
  'cloud-d': '/v1/keymgr/cloud-d/vaults',
  crm: '/v1/keymgr/crm/organizations',
  datacust: '/v1/keymgr/datacust/groups',
}
const containersOf = async (cloud: string): Promise<any[]> =>
  (await admin.ok('GET', `${CONTAINERS[cloud] ?? ''}?limit=-1`)).resources as any[]
const namesOf = async (cloud: string): Promise<string[]> => (await containersOf(cloud)).map(({ name }) => name).sort()

/** A run of a configuration, with what its only sub-job found. */
async function searched(config: any): Promise<{ job: any; sub: any; discovered: any }> {
  const job = await scheduler.ran(config.id as string)
  const [sub] = (await scheduler.subJobs(job.id as string)).resources
  return { job, sub, discovered: sub?.discovered }
}

beforeAll(async () => {
  admin = vault().admin
  scheduler = schedulerOf(vault())
  const { cloudA, cloudB, cloudC, cloudD, crm, datacust } = deployment()
  const [account] = cloudA.accounts
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = account?.credentials ?? {}
  const bodies: readonly [string, object][] = [
    ['/v1/connectionmgmt/services/cloud-a/connections', { name: 'to-cloud-a', access_key_id, secret_access_key }],
    [CLOUD_B_CONNECTIONS, cloudBBody(cloudB, 'to-cloud-b')],
    [CLOUD_C_CONNECTIONS, cloudCBody(cloudC, 'to-cloud-c')],
    [CLOUD_D_CONNECTIONS, cloudDBody(cloudD, 'to-cloud-d')],
    [CRM_CONNECTIONS, crmBody(crm, 'to-crm')],
    [DATACUST_CONNECTIONS, { ...mainBody(datacust), name: 'to-datacust' }],
  ]
  await Promise.all(bodies.map(([path, body]) => admin.ok('POST', path, body)))
})

describe('discovery of containers', () => {
  test.each(Object.keys(CONTAINERS))('of %s adds the new ones, once', async (cloud) => {
    const connection_id = `to-${cloud}`
    const only = await scheduler.create(searching(`lists ${cloud}`, { connection_id, discover_only: true }))
    expect(only.job_config_params).toMatchObject({ cloud_name: cloud, connection_id })
    const listed = await searched(only)
    expect(listed.job).toMatchObject({ status: 'completed', cloud_name: cloud, total_count: 1 })
    const { found_count } = listed.discovered
    expect(found_count).toBeGreaterThan(0)
    expect(listed.discovered).toMatchObject({ known_count: 0, added_count: 0, refused_count: 0, errors: [] })
    expect(listed.discovered.names).toHaveLength(found_count)
    expect(await namesOf(cloud)).toEqual([])

    const config = await scheduler.create(searching(`adds ${cloud}`, { cloud_name: cloud }))
    const { job, sub, discovered } = await searched(config)
    expect(job).toMatchObject({ status: 'completed', success_count: 1, error_count: 0 })
    expect(sub).toMatchObject({ resource_type: 'connection', resource_name: connection_id, status: 'completed' })
    expect(discovered).toEqual({ ...listed.discovered, added_count: found_count })
    expect(await namesOf(cloud)).toEqual(discovered.names.toSorted())

    const again = await searched(config)
    expect(again.discovered).toEqual({ ...discovered, known_count: found_count, added_count: 0, names: [] })
    expect(await namesOf(cloud)).toHaveLength(found_count)
  })

  test('leaves the audit records of the single call, in the name of the author', async () => {
    const [added, ...more] = await vault().records('message=Add Cloud-b Vaults')
    expect(more).toHaveLength((await namesOf('cloud-b')).length - 1)
    expect(added).toMatchObject({ username: 'admin', success: true, details: { action: 'by the job adds cloud-b' } })
    expect(added.details.resource_uri).toContain(':cloud-b-vault:')
    const [found] = (await vault().records('message=Find Containers')).slice(-1)
    expect(found.details).toMatchObject({ resource_name: expect.stringMatching('to-'), after: { added_count: 0 } })
    const kms = await containersOf('cloud-a')
    expect(kms).toMatchObject([{ auto_added: true, connection: 'to-cloud-a', status: 'active' }])
    expect(kms[0].regions.length).toBeGreaterThan(1)
  })

  test('searches only the given regions and names', async () => {
    const [first] = await containersOf('cloud-b')
    await admin.ok('POST', `${CONTAINERS['cloud-b'] ?? ''}/${first.id as string}/remove-vault`)
    await vault().sweep()
    const body = (more: object) => ({ connection_id: 'to-cloud-b', cloud_name: 'cloud-b', ...more })
    const elsewhere = await scheduler.create(searching('elsewhere', body({ regions: ['nowhere'] })))
    expect((await searched(elsewhere)).discovered.found_count).toBe(0)
    const other = await scheduler.create(searching('by name', body({ filter: 'no-such-*' })))
    expect((await searched(other)).discovered.found_count).toBe(0)
    const change = {
      add_containers_params: { filter: `${first.name.slice(0, -1) as string}?`, regions: [first.location] },
    }
    expect((await scheduler.update(other.id as string, change)).job_config_params).toMatchObject(
      change.add_containers_params,
    )
    expect((await searched(other)).discovered).toMatchObject({ added_count: 1, names: [first.name] })
    const cleared = { add_containers_params: { filter: null, regions: null } }
    expect((await scheduler.update(other.id as string, cleared)).job_config_params).toEqual(body({}))
  })

  test('skips a bad member, and names it', async () => {
    const { cloudB } = deployment()
    const remove = async ({ id }: any) =>
      admin.ok('POST', `${CONTAINERS['cloud-b'] ?? ''}/${id as string}/remove-vault`)
    const before = await containersOf('cloud-b')
    const inOne = before.filter(({ subscription_id, managed_hsm }) => subscription_id === SUBSCRIPTION && !managed_hsm)
    for (const one of inOne) await remove(one)
    await vault().sweep()
    const odd = 'odd name \u202e\ud800'
    cloudB.inject({
      fault: 'wrong-answer',
      operation: 'VaultsList',
      answer: (body: any) => ({ ...body, value: [{ ...body.value[0], name: odd }, ...body.value.slice(1)] }),
    })
    const config = await scheduler.create(searching('with a bad one', { connection_id: 'to-cloud-b' }))
    const { job, sub, discovered } = await searched(config)
    cloudB.reset()
    expect(job).toMatchObject({ status: 'failed', error_count: 1 })
    expect(discovered.refused_count).toBeGreaterThan(0)
    expect(discovered.errors[0]).toContain('odd name')
    expect(sub.error).toContain('odd name')
    const { added_count } = discovered
    expect(added_count).toBe(inOne.length - 1)
    expect((await searched(config)).discovered).toMatchObject({ added_count: 1, refused_count: 0 })
  })

  test('continues after a failure of the cloud, and fails when the connection is deleted', async () => {
    const { cloudD } = deployment()
    cloudD.inject({ fault: 'server-error', operation: 'ListVaults', times: 1 })
    const config = await scheduler.create(searching('after a failure', { connection_id: 'to-cloud-d' }))
    expect((await searched(config)).job).toMatchObject({ status: 'completed' })
    cloudD.reset()
    await admin.ok('POST', CLOUD_D_CONNECTIONS, cloudDBody(cloudD, 'leaves'))
    const gone = await scheduler.create(searching('gone', { connection_id: 'leaves' }))
    await admin.ok('DELETE', `${CLOUD_D_CONNECTIONS}/leaves`)
    const { job, sub } = await searched(gone)
    expect(job).toMatchObject({ status: 'failed', error_count: 1 })
    expect(sub.error).toContain('not there any more')
  })

  test('adds no container that the author may not add, or that a policy denies', async () => {
    const policy = {
      name: 'no groups',
      effect: 'deny',
      actions: ['AddDatacustGroups'],
      resources: ['*'],
    }
    const [group] = await containersOf('datacust')
    await admin.ok('DELETE', `${CONTAINERS.datacust ?? ''}/${group.id as string}`)
    await vault().sweep()
    const { holder, sub: user } = await vault().user('searcher', ['keymgr Admins'])
    const { id } = await admin.ok('POST', '/v1/admin/policies', policy)
    const to = { policy: id, principalSelector: { user_id: user } }
    await admin.ok('POST', '/v1/admin/policy-attachments', to)
    vault().advance(5_000)
    const own = schedulerOf(vault(), holder)
    const config = await own.create(searching('denied', { connection_id: 'to-datacust' }))
    const job = await own.ran(config.id as string)
    const [sub] = (await own.subJobs(job.id as string)).resources
    expect(sub.discovered).toMatchObject({ added_count: 0, refused_count: 1 })
    expect(sub.discovered.errors[0]).toContain(group.name)
  })
})

describe('a configuration of discovery is refused', () => {
  test.each([
    ['without parameters', {}, 422, 2, PARAMS],
    ['for neither cloud nor connection', { discover_only: true }, 422, 2, `${PARAMS}/connection_id`],
    ['for a connection that is not there', { connection_id: 'nobody' }, 404, 5, `${PARAMS}/connection_id`],
    ['for a connection to another cloud', { cloud_name: 'crm', connection_id: 'to-cloud-b' }, 404, 5, PARAMS],
    ['for a protocol', { cloud_name: 'docsuite-dke' }, 422, 2, `${PARAMS}/cloud_name`],
    ['with regions of a cloud without any', { connection_id: 'to-crm', regions: ['eu'] }, 422, 2, `${PARAMS}/regions`],
    ['with a role for a cloud without any', { cloud_name: 'cloud-b', role: 'x' }, 422, 2, `${PARAMS}/role`],
    ['with a role that is none', { cloud_name: 'cloud-a', role: 'x' }, 422, 2, `${PARAMS}/role`],
    ['with no region', { cloud_name: 'cloud-a', regions: [] }, 422, 2, `${PARAMS}/regions`],
    ['with a field of another operation', { cloud_name: 'cloud-a', kms: ['x'] }, 400, 1, `${PARAMS}/kms`],
  ])('%s', async (_what, params, status, code, pointer) => {
    const { add_containers_params: _, ...without } = searching('refused', {})
    const body = Object.keys(params).length === 0 ? without : searching('refused', params)
    const answered = await scheduler.tryCreate(body)
    expectRefused(answered, status, code)
    expect(JSON.stringify(answered.body.errors)).toContain(pointer)
  })

  test('with the parameters of another operation, and for callers without permission for configurations', async () => {
    const both = { ...synchronization('both', { synchronize_all: true }), add_containers_params: { cloud_name: 'crm' } }
    expectRefused(await scheduler.tryCreate(both), 422, 2, PARAMS)
    const { holder } = await vault().user('reader', ['keymgr Users'])
    expectRefused(await holder.call('POST', CONFIGS, searching('by a reader', { cloud_name: 'crm' })), 403, 4)
  })

  test('when a change names another cloud', async () => {
    const made = await scheduler.create(searching('fixed', { cloud_name: 'crm' }))
    const change = (params: object) => scheduler.tryUpdate(made.id as string, { add_containers_params: params })
    expectRefused(await change({ cloud_name: 'cloud-a' }), 400, 1, `${PARAMS}/cloud_name`)
    expectRefused(await change({ connection_id: 'to-cloud-a' }), 404, 5, `${PARAMS}/connection_id`)
  })
})
