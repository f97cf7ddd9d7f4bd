import { beforeAll, beforeEach, expect, test } from 'vitest'
import { KEY_TAG } from '../../../shared/clouds/cloud-d/param.ts'
import { CLOUD_D, INVOICES, keyBody, KEYS, keysOf, ORDERS, refused, useCloudD, VAULTS } from './cloud-d.ts'

const tests = useCloudD()
const DAY_MS = 86_400_000
let keys: ReturnType<typeof keysOf>

beforeAll(() => {
  keys = keysOf(tests().admin)
})
beforeEach(() => tests().cloud.reset())

const stateOf = ({ cloud_d_params }: any): string => cloud_d_params.lifecycle_state
/** Creates a key and returns its record once the cloud has completed it. */
async function made(name: string, more: object = {}): Promise<any> {
  const { id } = await keys.create(name, more)
  await tests().settle()
  return keys.get(id as string)
}
const act = async (id: string, action: string, body?: object): Promise<string[]> => {
  const on = stateOf(await keys.act(id, action, body))
  await tests().settle()
  return [on, stateOf(await keys.get(id))]
}

test.each([
  ['aes', 128, 'AES', 16, 'SOFTWARE'],
  ['aes', 192, 'AES', 24, 'HSM'],
  ['aes', 256, 'AES', 32, 'HSM'],
  ['rsa', 2048, 'RSA', 256, 'SOFTWARE'],
  ['rsa', 3072, 'RSA', 384, 'HSM'],
  ['rsa', 4096, 'RSA', 512, 'SOFTWARE'],
])(
  'a local key of %s %i is uploaded unchanged, and is CREATING at first',
  async (algorithm, size, kind, length, protection_mode) => {
    const { admin, bytesOf, seen, settle } = tests()
    const name = `up-${algorithm}-${size}`
    const source = await admin.create({ name, algorithm, size })
    const tags = { defined_tags: { operations: { owner: 'ann' } }, freeform_tags: { team: 'blue' } }
    const key = await keys.upload(name, name, { protection_mode, ...tags })
    expect(key).toMatchObject({
      cloud_name: 'cloud-d',
      tenancy: 'shop',
      region: 'eu-frankfurt-1',
      key_material_origin: 'keymgr',
      local_key_id: source.id,
      local_key_name: name,
      cloud_d_params: {
        compartment_id: ORDERS,
        display_name: name,
        algorithm: kind,
        length,
        lifecycle_state: 'CREATING',
        vault_name: 'orders',
        protection_mode,
        is_primary: true,
        defined_tags: tags.defined_tags,
        freeform_tags: { team: 'blue', [KEY_TAG]: key.id },
      },
    })
    const { material } = await admin.act(source.id, 'export', {
      format: algorithm === 'aes' ? 'raw' : 'pkcs8',
      encoding: 'base64',
    })
    const bytes = await bytesOf(key)
    if (algorithm === 'aes') expect(bytes?.toString('base64')).toBe(material)
    else expect(bytes?.length).toBeGreaterThan(1_000)
    expect(seen(key)).toMatchObject({ protectionMode: protection_mode, versions: [{ origin: 'EXTERNAL' }] })
    await settle()
    expect(stateOf(await keys.get(key.id))).toBe('ENABLED')
    expect(await keys.versions(key.id)).toMatchObject([
      {
        key_material_origin: 'keymgr',
        local_key_name: name,
        is_current: true,
        lifecycle_state: 'ENABLED',
        origin: 'EXTERNAL',
      },
    ])
    expect(await admin.get(source.id)).toMatchObject({ neverExported: false })
  },
)

test.each([
  ['AES', 32, {}],
  ['RSA', 256, {}],
  ['ECDSA', 48, { curve_id: 'NIST_P384' }],
])('the cloud creates a key of %s %i', async (algorithm, length, more) => {
  const key = await made(`native-${algorithm}`, { algorithm, length, ...more })
  expect(key).toMatchObject({
    key_material_origin: 'native',
    cloud_d_params: { algorithm, length, lifecycle_state: 'ENABLED', ...more },
  })
  expect(key).not.toHaveProperty('local_key_id')
})

test('an upload refuses unsupported keys before it calls the cloud', async () => {
  const { admin, cloud } = tests()
  await admin.create({ name: 'on a curve', algorithm: 'ec', curveid: 'prime256v1' })
  await admin.create({ name: 'stays here', algorithm: 'aes', unexportable: true })
  await refused(keys.tryUpload('refused', 'on a curve'), 422, 2, ['#/source_key_identifier'])
  await refused(keys.tryUpload('refused', 'stays here'), 403, 11, [])
  await refused(keys.tryUpload('refused', 'nobody'), 404, 5, ['#/source_key_identifier'])
  expect(cloud.calls()).toEqual([])
})

test.each([
  ['a length of another algorithm', { length: 256 }, 422, 2, ['#/length']],
  ['an algorithm that there is not', { algorithm: 'DES' }, 422, 2, ['#/algorithm']],
  ['a curve of another length', { algorithm: 'ECDSA', length: 32, curve_id: 'NIST_P384' }, 422, 2, ['#/curve_id']],
  ['a curve of a key without', { curve_id: 'NIST_P256' }, 422, 2, ['#/curve_id']],
  ['a protection that there is not', { protection_mode: 'EXTERNAL' }, 422, 2, ['#/protection_mode']],
  ['no compartment', { compartment_id: undefined }, 422, 2, ['#/compartment_id']],
  ['a vault that is not there', { vault: 'none' }, 404, 5, ['#/vault']],
  ['a tag of the service', { freeform_tags: { [KEY_TAG]: 'x' } }, 422, 2, ['#/freeform_tags']],
  ['a name with a control character', { name: 'a\u0001' }, 422, 2, ['#/name']],
  ['a field that there is not', { labels: {} }, 400, 1, ['#/labels']],
  ['a length that is no number', { length: '32' }, 400, 1, ['#/length']],
])('a creation refuses %s', async (_what, more, status, code, fields) => {
  await refused(keys.tryCreate('refused', more), status, code, fields)
})

test('a refusal of the cloud is returned, and leaves nothing behind', async () => {
  const { cloud, vault } = tests()
  const before = cloud.keysIn(vault.vault_id).length
  const elsewhere = await refused(
    keys.tryCreate('refused', { compartment_id: 'ocid1.compartment.oc1..none' }),
    422,
    16,
    [],
  )
  expect(elsewhere.detail).toContain('RelatedResourceNotAuthorizedOrNotFound')
  await refused(keys.tryCreate('refused', { defined_tags: { nowhere: { a: 'b' } } }), 422, 16, [])
  cloud.inject({ fault: 'access-denied', operation: 'CreateKey' })
  await refused(keys.tryCreate('refused'), 404, 16, [])
  expect(cloud.keysIn(vault.vault_id)).toHaveLength(before)
  expect((await keys.list('?display_name=refused')).total).toBe(0)
})

test('one name may have several keys, as at the cloud', async () => {
  const [one, other] = [await keys.create('twin'), await keys.create('twin')]
  expect(one.cloud_d_params.key_id).not.toBe(other.cloud_d_params.key_id)
  expect((await keys.list('?display_name=twin')).total).toBe(2)
})

test('a key is disabled and enabled, and passes through the states of the cloud', async () => {
  const { id } = await made('switched')
  expect(await act(id, 'disable')).toEqual(['DISABLING', 'DISABLED'])
  await refused(keys.tryAct(id, 'disable'), 409, 8, [])
  expect(await act(id, 'enable')).toEqual(['ENABLING', 'ENABLED'])
})

test('an action waits for the change that is under way', async () => {
  const { id } = await keys.create('waiting')
  expect(stateOf(await keys.act(id, 'disable'))).toMatch(/^DISABL/)
})

test('a deletion is scheduled for 7 days or as long as asked for, and cancelled to the state from before', async () => {
  const { cloud, advance, at } = tests()
  const key = await made('deleted')
  const waits = async (): Promise<number> => {
    const { cloud_d_params } = await keys.get(key.id)
    return Math.round((Date.parse(cloud_d_params.time_of_deletion as string) - Date.parse(at(0))) / DAY_MS)
  }
  expect(await act(key.id, 'schedule-deletion')).toEqual(['SCHEDULING_DELETION', 'PENDING_DELETION'])
  expect(await waits()).toBe(7)
  await refused(keys.tryAct(key.id, 'schedule-deletion', { days: 30 }), 409, 8, [])
  for (const action of ['enable', 'disable']) await refused(keys.tryAct(key.id, action), 409, 8, [])
  expect(await waits()).toBe(7)
  expect(await act(key.id, 'cancel-deletion')).toEqual(['CANCELLING_DELETION', 'ENABLED'])
  await refused(keys.tryAct(key.id, 'cancel-deletion'), 409, 8, [])
  await act(key.id, 'disable')
  expect(await act(key.id, 'schedule-deletion', { days: 30 })).toEqual(['SCHEDULING_DELETION', 'PENDING_DELETION'])
  expect(await waits()).toBe(30)
  for (const days of [6, 31]) await refused(keys.tryAct(key.id, 'schedule-deletion', { days }), 422, 2, ['#/days'])
  await refused(keys.tryUpdate(key.id, { display_name: 'too late' }), 409, 16, [])
  await refused(tests().admin.call('DELETE', `${KEYS}/${key.id}`), 409, 8, [])
  advance(31 * DAY_MS)
  expect(stateOf(await keys.act(key.id, 'refresh'))).toBe('DELETED')
  cloud.forget(key.cloud_d_params.key_id as string)
  expect(await keys.act(key.id, 'refresh')).toMatchObject({ gone: true })
  expect(await tests().admin.ok('DELETE', `${KEYS}/${key.id}`)).toEqual({ status: 204 })
  await refused(tests().admin.call('GET', `${KEYS}/${key.id}`), 404, 5, [])
})

test('an action that the recorded state forbids is asked of the cloud, whose state decides', async () => {
  const key = await made('enabled by others')
  await act(key.id, 'disable')
  tests().cloud.alter(key.cloud_d_params.key_id as string, { state: 'ENABLED' })
  expect(await act(key.id, 'disable')).toEqual(['DISABLING', 'DISABLED'])
})

const called = (operation: string) => (): boolean =>
  tests()
    .cloud.calls()
    .some((call) => call.operation === operation)

test.each([
  ['disable', undefined, 'DisableKey', ORDERS],
  ['schedule-deletion', undefined, 'ScheduleKeyDeletion', ORDERS],
  ['change-compartment', { compartment_id: INVOICES }, 'ChangeKeyCompartment', INVOICES],
])('a key that is hidden once after %s is unread, not gone', async (action, body, operation, compartment_id) => {
  const { cloud } = tests()
  const key = await made(`hidden after ${action}`)
  cloud.reset()
  cloud.inject({ fault: 'access-denied', operation: 'GetKey', times: 1, when: called(operation) })
  const answered = await keys.act(key.id, action, body)
  expect(answered).toMatchObject({ gone: false, unread: ['key'], cloud_d_params: { compartment_id } })
  expect(await keys.versions(key.id)).toMatchObject([{ gone: false }])
  const { gone, unread, cloud_d_params } = await keys.act(key.id, 'refresh')
  expect([gone, unread, cloud_d_params.compartment_id]).toEqual([false, undefined, compartment_id])
})

test('a key whose versions are hidden once after an action is unread, not refused', async () => {
  const { cloud } = tests()
  const key = await made('versions hidden')
  cloud.reset()
  cloud.inject({ fault: 'access-denied', operation: 'ListKeyVersions', times: 1, when: called('DisableKey') })
  expect(await keys.act(key.id, 'disable')).toMatchObject({ gone: false, unread: ['key'] })
  expect(stateOf(await keys.act(key.id, 'refresh'))).toMatch(/^DISABL/)
})

test('a key that moves to an invisible compartment, or may not be read alone, is unread', async () => {
  const { cloud } = tests()
  const [away, stays] = [await made('away'), await made('listed only')]
  cloud.reset()
  const hidden = { fault: 'access-denied', operation: 'GetKey' } as const
  cloud.inject({ ...hidden, when: ({ params }) => params.keyId === stays.cloud_d_params.key_id })
  expect(await keys.act(stays.id, 'refresh')).toMatchObject({ gone: false, unread: ['key'] })
  cloud.inject({ ...hidden, when: called('ChangeKeyCompartment') })
  cloud.inject({ fault: 'access-denied', when: ({ query }) => query.compartmentId === INVOICES })
  const moved = { gone: false, unread: ['key'], cloud_d_params: { compartment_id: INVOICES } }
  expect(await keys.act(away.id, 'change-compartment', { compartment_id: INVOICES })).toMatchObject(moved)
  expect(await keys.act(away.id, 'refresh')).toMatchObject(moved)
})

test('a key that is hidden once after its creation is created once', async () => {
  const { cloud, vault } = tests()
  const before = cloud.keysIn(vault.vault_id as string).length
  cloud.inject({ fault: 'access-denied', operation: 'GetKey', times: 1 })
  const { status } = await keys.tryCreate('hidden at first', { compartment_id: INVOICES })
  expect(status).toBeGreaterThanOrEqual(400)
  const key = await keys.create('hidden at first', { compartment_id: INVOICES })
  expect(key.cloud_d_params.lifecycle_state).toMatch(/^(CREATING|ENABLED)$/)
  expect(cloud.keysIn(vault.vault_id as string)).toHaveLength(before + 1)
})

test('a key moves to another compartment', async () => {
  const key = await made('moved')
  expect(await act(key.id, 'change-compartment', { compartment_id: INVOICES })).toEqual([
    'CHANGING_COMPARTMENT',
    'ENABLED',
  ])
  expect(await keys.get(key.id)).toMatchObject({ cloud_d_params: { compartment_id: INVOICES } })
  expect((await keys.list(`?compartment_id=${INVOICES}&display_name=moved`)).total).toBe(1)
  await refused(keys.tryAct(key.id, 'change-compartment', { compartment_id: 'invoices' }), 422, 2, ['#/compartment_id'])
  await refused(
    keys.tryAct(key.id, 'change-compartment', { compartment_id: 'ocid1.compartment.oc1..none' }),
    422,
    16,
    [],
  )
  await refused(keys.tryAct(key.id, 'change-compartment'), 422, 2, ['#/compartment_id'])
})

test('name and tags of a key are changed; new tags replace the former ones, except the tag of the service', async () => {
  const key = await made('tagged', { freeform_tags: { team: 'blue', cost: '7' } })
  const changed = await keys.update(key.id, {
    display_name: 'renamed',
    freeform_tags: { team: 'red' },
    defined_tags: { operations: { owner: 'bea' } },
  })
  expect(changed.cloud_d_params).toMatchObject({
    display_name: 'renamed',
    freeform_tags: { [KEY_TAG]: key.id, team: 'red' },
    defined_tags: { operations: { owner: 'bea' } },
  })
  const cleared = await keys.update(key.id, { freeform_tags: null, defined_tags: null })
  expect(cleared.cloud_d_params).toMatchObject({ freeform_tags: { [KEY_TAG]: key.id }, defined_tags: {} })
  await refused(keys.tryUpdate(key.id, { freeform_tags: { [KEY_TAG]: 'x' } }), 422, 2, ['#/freeform_tags'])
  await refused(keys.tryUpdate(key.id, { freeform_tags: 'blue' }), 400, 1, ['#/freeform_tags'])
  await act(key.id, 'disable')
  await refused(keys.tryUpdate(key.id, { display_name: 'of a disabled key' }), 409, 16, [])
})

test('a stale If-Match is refused', async () => {
  const { admin } = tests()
  const { id } = await made('matched')
  const stale = await admin.call('PATCH', `${KEYS}/${id}`, { display_name: 'no' }, { 'if-match': '"999"' })
  expect(stale.status).toBe(412)
})

test('a key that another user disabled or deleted shows that state, and the requested action is refused', async () => {
  const { cloud } = tests()
  const [disabled, deleted] = [await made('theirs-disabled'), await made('theirs-deleted')]
  cloud.alter(disabled.cloud_d_params.key_id as string, { state: 'DISABLED' })
  await refused(keys.tryAddVersion(disabled.id, { is_native: true }), 409, 16, [])
  expect(stateOf(await keys.get(disabled.id))).toBe('DISABLED')
  cloud.forget(deleted.cloud_d_params.key_id as string)
  await refused(keys.tryAct(deleted.id, 'disable'), 404, 16, [])
  expect(await keys.get(deleted.id)).toMatchObject({ gone: true })
  await refused(keys.tryAct(deleted.id, 'disable'), 409, 8, [])
})

test('keys are listed by their properties', async () => {
  const { vault } = tests()
  await made('listed', { algorithm: 'RSA', length: 384, protection_mode: 'HSM' })
  const found = async (query: string): Promise<string[]> =>
    (await keys.list(`?display_name=listed&${query}`)).resources.map(
      ({ cloud_d_params }: any) => cloud_d_params.display_name,
    )
  for (const query of [
    `vault_id=${vault.vault_id}`,
    `vault_id=${vault.id}`,
    'vault_id=orders',
    'algorithm=RSA&length=384&protection_mode=HSM',
    'lifecycle_state=ENABLED&gone=false&tenancy=shop&region=eu-frankfurt-1',
    `compartment_id=${ORDERS}&key_material_origin=native&rotation_job_enabled=false`,
  ])
    expect(await found(query), query).toEqual(['listed'])
  for (const query of ['vault_id=none', 'length=256', 'lifecycle_state=DISABLED', 'rotation_job_enabled=true'])
    expect(await found(query), query).toEqual([])
  await refused(tests().admin.call('GET', `${KEYS}?state=ENABLED`), 400, 1, ['state'])
  const sorted = (await keys.list('?sort=-display_name&limit=1000')).resources.map(
    (key: any) => key.cloud_d_params.display_name,
  )
  expect(sorted).toEqual([...sorted].sort().reverse())
})

test('each action needs its permission', async () => {
  const { admin, user, vault } = tests()
  await admin.create({ name: 'of-the-user', algorithm: 'aes', size: 256 })
  const key = await made('guarded')
  const { sub: user_id, holder } = await user('guarded-user', ['keymgr Users', 'Key Admins'])
  const permit = (actions: string[], yes = true) =>
    admin.ok('POST', `${VAULTS}/${vault.id}/update-acls`, { acls: [{ user_id, permit: yes, actions }] })
  await refused(holder.call('GET', `${KEYS}/${key.id}`), 404, 5, [])
  await permit(['view'])
  const upload = keyBody('guarded-upload', { source_key_identifier: 'of-the-user' })
  const calls: [string, string, string, object?][] = [
    ['keycreate', 'POST', KEYS, keyBody('guarded-native', { algorithm: 'AES', length: 32 })],
    ['keyupload', 'POST', `${CLOUD_D}/upload-key`, upload],
    ['keyupdate', 'PATCH', `${KEYS}/${key.id}`, { display_name: 'guarded' }],
    ['keyrotatetonative', 'POST', `${KEYS}/${key.id}/versions`, { is_native: true }],
    ['keyrotatetobyok', 'POST', `${KEYS}/${key.id}/versions`, { source_key_identifier: 'of-the-user' }],
    ['keydelete', 'POST', `${KEYS}/${key.id}/schedule-deletion`, {}],
    ['keycanceldelete', 'POST', `${KEYS}/${key.id}/cancel-deletion`],
    ['keysynchronize', 'POST', `${KEYS}/${key.id}/refresh`],
  ]
  for (const [action, method, path, body] of calls) {
    await refused(holder.call(method, path, body), 403, 4, [])
    await permit([action])
    await holder.ok(method, path, body)
    await permit([action], false)
  }
})

test('the passport of a key states where its material is from', async () => {
  const { admin } = tests()
  await admin.create({ name: 'passport-source', algorithm: 'aes', size: 256 })
  const key = await keys.upload('passport', 'passport-source')
  const { passport } = await admin.ok('GET', `${KEYS}/${key.id}/passport`)
  expect(JSON.stringify(passport ?? {})).not.toBe('')
})
