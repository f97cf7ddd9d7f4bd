import { afterEach, expect, test } from 'vitest'
import type { CloudCAuditEntry, CloudCAuditQuery, CloudCPage } from '../../../../shared/clouds/cloud-c/adapter/types.ts'
import { cloudC } from '../../../../shared/clouds/cloud-c/adapter/verbs.ts'
import { refusalOf } from '../conformance-fixture.ts'
import { Book } from '../memory-journal.ts'
import { newName, RING, useCloudC } from './simulated.ts'

const BOB = 'user:bob@shop.example'
const ENCRYPTER = 'roles/cloudkms.cryptoKeyEncrypter'
const OTHER_RING = 'projects/shop-keys/locations/europe-west3/keyRings/invoices'
const own = useCloudC()
const { place } = own

afterEach(() => own.cloud.reset())

const create = async (ring = RING) => {
  const spec = { key_name: newName(), purpose: 'ENCRYPT_DECRYPT' } as const
  return (await cloudC.create(place({ ring }), spec, new Book().open())).ref
}
const reasonOf = async (work: Promise<unknown>) => (await refusalOf(work)).reason

/** All items, page by page. */
async function all<Item>(page: (token: string | undefined) => Promise<CloudCPage<Item>>): Promise<Item[]> {
  const items: Item[] = []
  let token: string | undefined
  do {
    const { items: some, next_page_token: next } = await page(token)
    items.push(...some)
    token = next
  } while (token !== undefined)
  return items
}

test('the projects that a connection sees, page by page', async () => {
  const found = await all((page_token) => cloudC.projects(place(), { page_size: 1, page_token }))
  expect(found).toEqual([
    { project_id: 'bank-keys', name: 'Bank keys', number: '471100000011' },
    { project_id: 'shop-keys', name: 'Shop keys', number: '471100000010' },
  ])
  expect(own.cloud.counts()).toEqual({ SearchProjects: 2 })
})

test('a project is shown with the organization above its folders', async () => {
  const organization = { organization_name: 'organizations/471100000001', organization_display_name: 'shop.example' }
  expect(await cloudC.project(place(), 'shop-keys')).toMatchObject({ project_id: 'shop-keys', ...organization })
  expect(await cloudC.project(place(), 'lone-keys')).toBeUndefined()
  expect(await cloudC.project(place(), 'no-such-project')).toBeUndefined()
})

test('an organization that may not be seen is left out but for its name', async () => {
  own.cloud.inject({ fault: 'access-denied', operation: 'GetOrganization' })
  const bank = await cloudC.project(place(), 'bank-keys')
  expect(bank).toMatchObject({ organization_name: 'organizations/471100000001' })
  expect(bank?.organization_display_name).toBeUndefined()
  own.cloud.inject({ fault: 'access-denied', operation: 'GetFolder' })
  expect(await cloudC.project(place(), 'shop-keys')).toEqual({
    project_id: 'shop-keys',
    name: 'Shop keys',
    number: '471100000010',
  })
})

test('locations, rings and roles are looked up', async () => {
  expect((await cloudC.locations(place(), 'shop-keys', {})).items).toContain('europe-west3')
  const rings = await all((page_token) =>
    cloudC.rings(place(), 'shop-keys', 'europe-west3', { page_size: 1, page_token }),
  )
  expect(rings.map(({ name }) => name)).toEqual([OTHER_RING, RING])
  expect(await cloudC.ring(place(), RING)).toEqual({ name: RING, create_time: expect.any(String) })
  expect(await cloudC.ring(place(), `${RING}-not`)).toBeUndefined()
  const roles = await all((page_token) => cloudC.iamRoles(place(), 'shop-keys', { page_size: 5, page_token }))
  expect(roles.map(({ name }) => name)).toContain(ENCRYPTER)
})

test('a look-up without permission is refused', async () => {
  const visitor = own.connection(own.cloud.keyFiles[1])
  expect((await cloudC.refs(place({ connection: visitor }), undefined)).refs).toEqual(
    own.cloud.keysIn(RING).map(({ id }) => id),
  )
  const spec = { key_name: newName(), purpose: 'ENCRYPT_DECRYPT' } as const
  const making = cloudC.create(place({ connection: visitor }), spec, new Book().open())
  expect(await reasonOf(making)).toBe('CLOUD_DENIED')
  expect(await reasonOf(cloudC.rings(place(), 'lone-keys', 'global', {}))).toBe('CLOUD_DENIED')
})

test('a policy is replaced, and who is named in it may use the key', async () => {
  const ref = await create()
  expect((await cloudC.policy(place(), ref)).bindings).toEqual([])
  const bindings = [{ role: ENCRYPTER, members: [BOB] }]
  const set = await cloudC.setPolicy(place(), ref, { bindings })
  expect(set).toEqual({ bindings, etag: expect.any(String) })
  expect(await cloudC.policy(place(), ref)).toEqual(set)
})

test('a conditional change of a policy is refused if it is stale, and an unconditional one is repeated', async () => {
  const ref = await create()
  const { etag } = await cloudC.policy(place(), ref)
  const bindings = [{ role: ENCRYPTER, members: [BOB] }]
  own.cloud.inject({
    ...{ fault: 'observe', operation: 'GetIamPolicy', times: 1 },
    after: async () => {
      await cloudC.setPolicy(place(), ref, { bindings: [], etag })
    },
  })
  expect((await cloudC.setPolicy(place(), ref, { bindings })).bindings).toEqual(bindings)
  expect(own.cloud.counts().SetIamPolicy).toBe(3)
  expect(await reasonOf(cloudC.setPolicy(place(), ref, { bindings, etag }))).toBe('CLOUD_CONFLICT')
})

test('conditions of bindings are read and kept', async () => {
  const ref = await create()
  const bindings = [{ role: ENCRYPTER, members: [BOB], condition: { title: 'never', expression: 'false' } }]
  await cloudC.setPolicy(place(), ref, { bindings })
  expect((await cloudC.policy(place(), ref)).bindings).toEqual(bindings)
})

/** A time span on the cloud's clock that contains only `work`. */
async function during(work: () => Promise<unknown>): Promise<Pick<CloudCAuditQuery, 'from' | 'to'>> {
  own.clock.advance(60_000)
  const from = own.clock.now()
  await work()
  own.clock.advance(1_000)
  return { from, to: own.clock.now() }
}
const read = (query: CloudCAuditQuery): Promise<CloudCAuditEntry[]> =>
  all((page_token) => cloudC.auditEntries(place(), { ...query, page_token }))

test('the audit log shows actions, callers and times for the keys of a ring', async () => {
  let ref = ''
  const range = await during(async () => {
    ref = await create()
    own.clock.advance(5_000)
    await own.asUser(`${RING}/cryptoKeys/${ref}:encrypt`, { plaintext: 'AAAA' })
    await create(OTHER_RING)
    await own.asUser(`${RING}/cryptoKeys/${ref}x:encrypt`, { plaintext: 'AAAA' }).catch(() => undefined)
  })
  const found = (await read({ rings: [RING], ...range })).filter(({ activity }) => !/^(Get|List)/.test(activity))
  expect(found).toEqual([
    {
      insert_id: expect.any(String),
      log: 'activity',
      time: expect.any(String),
      activity: 'CreateCryptoKey',
      resource: `${RING}/cryptoKeys/${ref}`,
      ring: RING,
      key_name: ref,
      user_name: 'keymgr@shop-keys.iam.gserviceaccount.com',
    },
    expect.objectContaining({ log: 'data_access', activity: 'Encrypt', user_name: 'alice@shop.example' }),
    expect.objectContaining({ activity: 'Encrypt', key_name: `${ref}x`, failed_code: 5 }),
  ])
})

test('rings of one project are read together, page by page, with each entry once', async () => {
  const range = await during(async () => {
    for (const ring of [RING, OTHER_RING, RING]) await create(ring)
  })
  const rings = [RING, OTHER_RING] as const
  const whole = await read({ rings, ...range })
  own.cloud.inject({ fault: 'empty-page', operation: 'ListLogEntries', calls: [2] })
  const paged = await read({ rings, ...range, page_size: 1 })
  expect(paged).toEqual(whole)
  expect(new Set(whole.map(({ ring }) => ring))).toEqual(new Set(rings))
  expect(new Set(whole.map(({ insert_id }) => insert_id)).size).toBe(whole.length)
  const elsewhere = 'projects/bank-keys/locations/us-east1/keyRings/ledger'
  expect(await reasonOf(read({ rings: [RING, elsewhere], ...range }))).toBe('RULE_BROKEN')
})
