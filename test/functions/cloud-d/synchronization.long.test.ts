import { beforeEach, expect, test } from 'vitest'
import {
  CLOUD_D,
  CONNECTIONS,
  connectionBody,
  INVOICES,
  JOBS,
  keysOf,
  ORDERS,
  refused,
  REGION,
  useCloudD,
  vaultId,
  VAULTS,
} from './cloud-d.ts'

const tests = useCloudD({ flowPauseMs: () => 1 })

beforeEach(() => tests().cloud.reset())

/** Starts a job and waits for its flow to end. @returns the finished job */
async function synchronize(body: object = { cloud_d_vaults: ['orders'] }): Promise<any> {
  const { admin, service } = tests()
  const { id } = await admin.ok('POST', JOBS, body)
  await service.deployment.flows.idle()
  return admin.ok('GET', `${JOBS}/${id}`)
}
const keys = () => keysOf(tests().admin)
const named = async (name: string): Promise<any> => (await keys().list(`?display_name=${name}`)).resources[0]
const orders = (): string => vaultId(tests().cloud, 'orders')
const reads = () =>
  tests()
    .cloud.calls()
    .filter(({ operation }) => operation === 'GetKey')

test('keys are recorded as the cloud describes them, and a second synchronization changes nothing', async () => {
  const { cloud, vault, admin } = tests()
  const ids = cloud.seed(orders(), 8, (n) => ({
    displayName: `seeded-${n}`,
    versions: n === 7 ? 45 : 1,
    freeformTags: { number: String(n) },
    definedTags: { operations: { owner: 'ann' } },
  }))
  const first = await synchronize()
  expect(first).toMatchObject({
    cloud_name: 'cloud-d',
    cloud_d_vaults: ['orders'],
    overall_status: 'completed',
    detailed_status: { orders: 'synchronized successfully' },
    added: 8,
    updated: 0,
    gone: 0,
  })
  const key = await named('seeded-7')
  expect(key).toMatchObject({
    cloud_name: 'cloud-d',
    vault_id: vault.vault_id,
    vault_resource_id: vault.id,
    tenancy: 'shop',
    region: REGION,
    gone: false,
    key_material_origin: 'native',
    version_count: 45,
    cloud_d_params: {
      key_id: ids[7],
      display_name: 'seeded-7',
      compartment_id: ORDERS,
      algorithm: 'AES',
      length: 32,
      lifecycle_state: 'ENABLED',
      vault_name: 'orders',
      freeform_tags: { number: '7' },
      defined_tags: { operations: { owner: 'ann' } },
      protection_mode: 'SOFTWARE',
      is_primary: true,
    },
  })
  const versions = await keys().versions(key.id, '?limit=-1')
  expect(versions).toHaveLength(45)
  expect(versions.filter(({ is_current }: any) => is_current)).toMatchObject([
    { version_id: key.cloud_d_params.current_key_version, key_id: ids[7], origin: 'INTERNAL' },
  ])
  const again = await synchronize()
  expect(again).toMatchObject({ overall_status: 'completed', added: 0, updated: 0, gone: 0 })
  const after = await keys().get(key.id)
  const never = { synced_at: '', refreshed_at: '' }
  expect({ ...after, ...never }).toEqual({ ...key, ...never })
  expect(Date.parse(after.synced_at)).toBeGreaterThan(Date.parse(key.synced_at))
  expect((await admin.ok('GET', `${VAULTS}/${vault.id}`)).refreshed_at).toBe(again.completed_at)
})

test('keys of a vault in other compartments are recorded too', async () => {
  const { cloud } = tests()
  const [id = ''] = cloud.seed(orders(), 1, () => ({ displayName: 'moved-away', compartmentId: INVOICES }))
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', added: 1 })
  expect(await named('moved-away')).toMatchObject({ cloud_d_params: { key_id: id, compartment_id: INVOICES } })
})

test('changed, removed and restored keys of the cloud change here too', async () => {
  const { cloud } = tests()
  const [changed = '', gone = ''] = cloud.seed(orders(), 2, (n) => ({ displayName: ['changing', 'going'][n] ?? '' }))
  await synchronize()
  cloud.alter(changed, { displayName: 'changed', newVersions: 2, state: 'DISABLED' })
  cloud.forget(gone)
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', added: 0, updated: 1, gone: 1 })
  expect(await named('changed')).toMatchObject({ version_count: 3, cloud_d_params: { lifecycle_state: 'DISABLED' } })
  const record = await named('going')
  expect(record).toMatchObject({ gone: true })
  expect(await keys().versions(record.id)).toMatchObject([{ gone: true }])
  await refused(keys().tryAct(record.id, 'enable'), 409, 8, [])
  cloud.seed(orders(), 1, () => ({ displayName: 'going' }))
  expect(await synchronize()).toMatchObject({ added: 0, updated: 1, gone: 0 })
  expect(await named('going')).toMatchObject({ gone: false })
})

test('a version that the cloud created by itself is recorded, although the list entry of its key is unchanged', async () => {
  const { cloud } = tests()
  const [id = ''] = cloud.seed(orders(), 1, () => ({ displayName: 'rotating' }))
  await synchronize()
  cloud.alter(id, { newVersions: 1 })
  expect(await synchronize()).toMatchObject({ updated: 1 })
  expect(await named('rotating')).toMatchObject({ version_count: 2 })
})

test('a key that may not be read is marked as unread, not as gone, and does not prevent the others', async () => {
  const { cloud } = tests()
  const [hidden = ''] = cloud.seed(orders(), 2, (n) => ({ displayName: `half-${n}` }))
  await synchronize()
  cloud.alter(hidden, { displayName: 'half-hidden' })
  cloud.inject({ fault: 'access-denied', operation: 'GetKey', when: ({ params }) => params.keyId === hidden })
  const job = await synchronize()
  expect(job).toMatchObject({ gone: 0, unread: 1 })
  expect(job.errors[0]).toContain(hidden)
  expect(await named('half-0')).toMatchObject({ gone: false, unread: ['key'] })
  expect(await named('half-1')).not.toHaveProperty('unread')
  cloud.reset()
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', updated: 1 })
  expect(await named('half-hidden')).not.toHaveProperty('unread')
})

test('keys are not marked as gone when the connection may no longer read their compartment, or the vault', async () => {
  const { cloud } = tests()
  cloud.seed(orders(), 2, (n) => ({ displayName: `lost-${n}`, ...(n === 1 && { compartmentId: INVOICES }) }))
  await synchronize()
  const [inOrders, inInvoices] = [await named('lost-0'), await named('lost-1')]
  cloud.inject({ fault: 'access-denied', when: ({ query }) => query.compartmentId === INVOICES })
  const hidden = inInvoices.cloud_d_params.key_id as string
  cloud.inject({ fault: 'access-denied', operation: 'GetKey', when: ({ params }) => params.keyId === hidden })
  expect(await synchronize()).toMatchObject({ gone: 0, unread: 1 })
  expect(await named('lost-1')).toMatchObject({ gone: false, unread: ['key'] })
  cloud.inject({ fault: 'access-denied', service: 'keys' })
  expect(await synchronize()).toMatchObject({ overall_status: 'failed', gone: 0 })
  expect(await keys().act(inOrders.id, 'refresh')).toMatchObject({ gone: false, unread: ['key'] })
  cloud.reset()
  expect(await keys().act(inOrders.id, 'refresh')).not.toHaveProperty('unread')
})

test('a key that another user moved out of sight is not marked as gone, unless its deletion was due', async () => {
  const { advance, cloud } = tests()
  const DAY_MS = 86_400_000
  const [moved = '', deleted = ''] = cloud.seed(orders(), 2, (n) => ({ displayName: `out-of-sight-${n}` }))
  await synchronize()
  await keys().act((await named('out-of-sight-1')).id, 'schedule-deletion')
  advance(8 * DAY_MS)
  cloud.forget(deleted)
  cloud.alter(moved, { compartmentId: INVOICES })
  cloud.inject({ fault: 'access-denied', when: ({ query }) => query.compartmentId === INVOICES })
  const hidden = {
    fault: 'access-denied',
    operation: 'GetKey',
    when: ({ params }: any) => params.keyId === moved,
  } as const
  cloud.inject(hidden)
  expect(await keys().act((await named('out-of-sight-0')).id, 'refresh')).toMatchObject({
    gone: false,
    unread: ['key'],
  })
  expect(await synchronize()).toMatchObject({ gone: 1, unread: 1 })
  expect(await named('out-of-sight-0')).toMatchObject({ gone: false, unread: ['key'] })
  expect(await named('out-of-sight-1')).toMatchObject({ gone: true })
  cloud.reset()
  cloud.inject({ fault: 'access-denied', operation: 'ListCompartments' })
  cloud.inject(hidden)
  expect(await synchronize()).toMatchObject({ gone: 0, unread: 1 })
  cloud.reset()
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', gone: 0, unread: 0 })
  expect(await named('out-of-sight-0')).toMatchObject({ cloud_d_params: { compartment_id: INVOICES } })
})

test('a synchronization records the state of the vault itself, and when it is deleted', async () => {
  const { admin, cloud, vault } = tests()
  const recorded = () => admin.ok('GET', `${VAULTS}/${vault.id as string}`)
  const [id, deleteAt] = [orders(), Date.UTC(2040, 0, 1)]
  cloud.alterVault(id, { state: 'PENDING_DELETION', displayName: 'ending', deleteAt })
  expect(await synchronize()).toMatchObject({ overall_status: 'completed' })
  const ending = { lifecycle_state: 'PENDING_DELETION', name: 'ending', display_name: 'ending' }
  expect(await recorded()).toMatchObject({ ...ending, time_of_deletion: '2040-01-01T00:00:00.000Z' })
  cloud.alterVault(id, { state: 'ACTIVE', displayName: 'orders', deleteAt: undefined })
  await synchronize({ cloud_d_vaults: ['ending'] })
  const after = await recorded()
  expect(after).toMatchObject({ lifecycle_state: 'ACTIVE', name: 'orders' })
  expect(after).not.toHaveProperty('time_of_deletion')
})

test('credentials that end midway fail the vault, and leave all records unchanged', async () => {
  const { cloud } = tests()
  cloud.seed(orders(), 3, (n) => ({ displayName: `kept-${n}` }))
  await synchronize()
  let keysRead = 0
  const isOver = ({ operation }: { readonly operation: string }): boolean => {
    if (operation === 'GetKey') keysRead++
    return keysRead > 2
  }
  cloud.inject({ fault: 'expired-credentials', when: isOver })
  const job = await synchronize()
  expect(job).toMatchObject({ overall_status: 'failed', gone: 0 })
  cloud.reset()
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', gone: 0 })
  expect((await keys().list('?display_name=kept-*&gone=false')).total).toBe(3)
})

test('a connection that may read only one compartment records the keys of that one', async () => {
  const { admin, cloud } = tests()
  await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'visitor', 1))
  const body = { connection: 'visitor', region: REGION, vault_id: [vaultId(cloud, 'invoices')] }
  await admin.ok('POST', `${CLOUD_D}/add-vaults`, body)
  cloud.seed(vaultId(cloud, 'invoices'), 2)
  cloud.seed(vaultId(cloud, 'invoices'), 1, () => ({ displayName: 'unseen', compartmentId: ORDERS }))
  expect(await synchronize({ cloud_d_vaults: ['invoices'] })).toMatchObject({ overall_status: 'completed', added: 2 })
})

test('a cloud that refuses for its rate is asked more slowly, and the job ends all the same', async () => {
  const { cloud } = tests()
  cloud.seed(orders(), 30, (n) => ({ displayName: `paced-${n}` }))
  cloud.setRates('real')
  const begun = performance.now()
  const job = await synchronize()
  cloud.setRates('off')
  expect(job).toMatchObject({ overall_status: 'completed', unread: 0 })
  expect((await keys().list('?display_name=paced-*')).total).toBe(30)
  expect(performance.now() - begun).toBeGreaterThan(2_000)
  expect(reads().length).toBeGreaterThanOrEqual(30)
  expect(reads().filter(({ refused: code }) => code !== undefined).length).toBeLessThan(30)
})

test.each([
  ['both', { cloud_d_vaults: ['orders'], synchronize_all: true }, 422, 2, ['#/cloud_d_vaults']],
  ['neither', {}, 422, 2, ['#/cloud_d_vaults']],
  ['a list of another cloud', { key_rings: ['orders'], cloud_d_vaults: ['orders'] }, 400, 1, ['#/key_rings']],
  ['a vault that is not there', { cloud_d_vaults: ['orders', 'none'] }, 404, 5, ['#/cloud_d_vaults/1']],
])('a synchronization refuses %s', async (_what, body, status, code, fields) => {
  await refused(tests().admin.call('POST', JOBS, body), status, code, fields)
})

test('a synchronization needs the permission of the vault', async () => {
  const { admin, user, vault } = tests()
  const { sub: user_id, holder } = await user('syncing-user', ['keymgr Users'])
  const permit = (actions: string[]) =>
    admin.ok('POST', `${VAULTS}/${vault.id}/update-acls`, { acls: [{ user_id, permit: true, actions }] })
  await refused(holder.call('POST', JOBS, { cloud_d_vaults: ['orders'] }), 404, 5, ['#/cloud_d_vaults/0'])
  await permit(['view'])
  await refused(holder.call('POST', JOBS, { cloud_d_vaults: ['orders'] }), 403, 4, [])
  await permit(['keysynchronize'])
  await holder.ok('POST', JOBS, { cloud_d_vaults: ['orders'] })
  await tests().service.deployment.flows.idle()
})
