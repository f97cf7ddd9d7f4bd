import type { KmsManagementClient, models } from 'oci-keymanagement'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import {
  SHOP_COMPARTMENTS,
  startCloudD,
  type CloudDSimulator,
} from '../../../../../infra/simulators/cloud-d/simulator.ts'
import { keyClient, outcome, send, shapeOf, vaultNamed } from '../clients.ts'

const DAY_MS = 86_400_000
const { orders, invoices, archive } = SHOP_COMPARTMENTS
const clock = createClock()
let simulator: CloudDSimulator
let client: KmsManagementClient
let vaultId: string

beforeAll(async () => {
  simulator = await startCloudD({ clock })
  simulator.setDelays({ transitMs: 60_000 })
  client = await keyClient(simulator, 'orders')
  vaultId = vaultNamed(simulator, 'orders').id
})
afterEach(() => {
  simulator.reset()
  clock.set(new Date())
})
afterAll(() => simulator.stop())

const AES = shapeOf('AES', 32)
const details = { compartmentId: orders, displayName: 'a key', keyShape: AES }
const create = (more: object = {}) => client.createKey({ createKeyDetails: { ...details, ...more } })
/** Lets the present change complete. */
const pass = () => clock.advance(60_000)
const read = async (keyId: string) => (await client.getKey({ keyId })).key

async function enabledKey(more: object = {}): Promise<string> {
  const { key } = await create(more)
  pass()
  return key.id
}

const inDays = (days: number) => new Date(clock.now().getTime() + days * DAY_MS)

test('a key is CREATING with its first version, and ENABLED by the clock', async () => {
  const { key, etag } = await create({ protectionMode: 'SOFTWARE', freeformTags: { team: 'blue' } })
  expect(key).toMatchObject({
    compartmentId: orders,
    vaultId,
    displayName: 'a key',
    keyShape: AES,
    protectionMode: 'SOFTWARE',
    lifecycleState: 'CREATING',
    freeformTags: { team: 'blue' },
    definedTags: {},
    isPrimary: true,
  })
  expect(key.id).toMatch(/^ocid1\.key\.oc1\.eu-frankfurt-1\.[a-z2-7]{13}\.[a-z2-7]{60}$/)
  expect(etag).not.toBe('')
  expect((await client.listKeyVersions({ keyId: key.id })).items).toMatchObject([
    { id: key.currentKeyVersion, keyId: key.id, lifecycleState: 'CREATING', origin: 'INTERNAL' },
  ])
  pass()
  expect(await read(key.id)).toMatchObject({ lifecycleState: 'ENABLED' })
})

test('without a protection mode a key is in hardware', async () => {
  expect((await create()).key.protectionMode).toBe('HSM')
})

test.each([
  ['no name', { displayName: undefined }, '400 MissingParameter'],
  ['a name too long', { displayName: 'x'.repeat(256) }, '400 InvalidParameter'],
  ['no compartment', { compartmentId: undefined }, '400 RelatedResourceNotAuthorizedOrNotFound'],
  [
    'a compartment of another tenancy',
    { compartmentId: 'ocid1.compartment.oc1..other' },
    '400 RelatedResourceNotAuthorizedOrNotFound',
  ],
  ['an inactive compartment', { compartmentId: archive }, '400 RelatedResourceNotAuthorizedOrNotFound'],
  ['no shape', { keyShape: undefined }, '400 MissingParameter'],
  ['a length in bits', { keyShape: { algorithm: 'AES', length: 256 } }, '400 InvalidParameter'],
  ['an unknown algorithm', { keyShape: { algorithm: 'DES', length: 8 } }, '400 InvalidParameter'],
  [
    'a curve of another length',
    { keyShape: { algorithm: 'ECDSA', length: 32, curveId: 'NIST_P384' } },
    '400 InvalidParameter',
  ],
  ['a curve of an AES key', { keyShape: { ...AES, curveId: 'NIST_P256' } }, '400 InvalidParameter'],
  ['an unknown protection mode', { protectionMode: 'PAPER' }, '400 InvalidParameter'],
  ['external protection in a vault of its own keys', { protectionMode: 'EXTERNAL' }, '400 InvalidParameter'],
  ['a free-form tag that is no string', { freeformTags: { a: 1 } }, '400 InvalidParameter'],
  [
    'a defined tag without definition',
    { definedTags: { operations: { colour: 'red' } } },
    '400 RelatedResourceNotAuthorizedOrNotFound',
  ],
  ['rotation by the cloud in a default vault', { isAutoRotationEnabled: true }, '400 InvalidParameter'],
])('a key with %s is refused', async (_what, more, expected) => {
  expect(await outcome(create(more))).toBe(expected)
})

test('a key changes its state in steps, and allows nothing else in between', async () => {
  const keyId = await enabledKey()
  expect((await client.disableKey({ keyId })).key.lifecycleState).toBe('DISABLING')
  expect(await outcome(client.enableKey({ keyId }))).toBe('409 IncorrectState')
  expect(await outcome(client.createKeyVersion({ keyId }))).toBe('409 IncorrectState')
  pass()
  expect(await read(keyId)).toMatchObject({ lifecycleState: 'DISABLED' })
  expect(await outcome(client.disableKey({ keyId }))).toBe('409 IncorrectState')
  expect(await outcome(client.updateKey({ keyId, updateKeyDetails: { displayName: 'no' } }))).toBe('409 IncorrectState')
  expect((await client.enableKey({ keyId })).key.lifecycleState).toBe('ENABLING')
  pass()
  expect(await read(keyId)).toMatchObject({ lifecycleState: 'ENABLED' })
})

test('a deletion is scheduled for 7 to 30 days, cancelled to the former state, and done by the clock', async () => {
  const keyId = await enabledKey()
  await client.disableKey({ keyId })
  pass()
  const schedule = (timeOfDeletion?: Date) =>
    client.scheduleKeyDeletion({ keyId, scheduleKeyDeletionDetails: timeOfDeletion ? { timeOfDeletion } : {} })
  expect(await outcome(schedule(inDays(6)))).toBe('400 InvalidParameter')
  expect(await outcome(schedule(inDays(31)))).toBe('400 InvalidParameter')
  const { key } = await schedule()
  expect(key.lifecycleState).toBe('SCHEDULING_DELETION')
  expect(Date.parse(String(key.timeOfDeletion)) - clock.now().getTime()).toBeGreaterThan(29.9 * DAY_MS)
  expect(await outcome(client.cancelKeyDeletion({ keyId }))).toBe('409 IncorrectState')
  pass()
  expect(await outcome(client.enableKey({ keyId }))).toBe('409 IncorrectState')
  expect((await client.cancelKeyDeletion({ keyId })).key.lifecycleState).toBe('CANCELLING_DELETION')
  pass()
  expect(await read(keyId)).toMatchObject({ lifecycleState: 'DISABLED' })
  await schedule(inDays(8))
  clock.advance(8 * DAY_MS - 1_000)
  expect(await read(keyId)).toMatchObject({ lifecycleState: 'PENDING_DELETION' })
  clock.advance(1_000)
  expect(await read(keyId)).toMatchObject({ lifecycleState: 'DELETING' })
  pass()
  expect(await read(keyId)).toMatchObject({ lifecycleState: 'DELETED' })
  expect(await simulator.materialOf(keyId)).toBeUndefined()
  expect(await outcome(client.cancelKeyDeletion({ keyId }))).toBe('409 IncorrectState')
})

test('name and tags change, and given tags replace the former ones', async () => {
  const keyId = await enabledKey({ freeformTags: { a: '1', b: '2' }, definedTags: { operations: { owner: 'ann' } } })
  const { key } = await client.updateKey({ keyId, updateKeyDetails: { freeformTags: { c: '3' } } })
  expect(key).toMatchObject({ lifecycleState: 'UPDATING', displayName: 'a key' })
  expect(key.freeformTags).toEqual({ c: '3' })
  expect(key.definedTags).toEqual({ operations: { owner: 'ann' } })
  pass()
  await client.updateKey({ keyId, updateKeyDetails: { displayName: 'renamed', definedTags: {} } })
  expect(await read(keyId)).toMatchObject({ displayName: 'renamed', freeformTags: { c: '3' }, definedTags: {} })
})

test('a key moves to another compartment, with an empty answer', async () => {
  const keyId = await enabledKey()
  const move = (compartmentId: string) =>
    client.changeKeyCompartment({ keyId, changeKeyCompartmentDetails: { compartmentId } })
  expect(await outcome(move('ocid1.compartment.oc1..none'))).toBe('400 RelatedResourceNotAuthorizedOrNotFound')
  const moved = await move(invoices)
  expect(moved.etag).not.toBe('')
  expect(await read(keyId)).toMatchObject({ compartmentId: invoices, lifecycleState: 'UPDATING' })
  pass()
  expect(await read(keyId)).toMatchObject({ lifecycleState: 'ENABLED' })
})

test('a change with a stale etag is refused', async () => {
  const keyId = await enabledKey()
  const { etag } = await client.getKey({ keyId })
  expect(await outcome(client.disableKey({ keyId, ifMatch: 'another' }))).toBe('412 NoEtagMatch')
  expect(await outcome(client.disableKey({ keyId, ifMatch: etag }))).toBe('OK')
  pass()
  expect((await client.getKey({ keyId })).etag).not.toBe(etag)
})

test('repeated requests with one retry token create one key', async () => {
  const held = () => simulator.keysIn(vaultId).length
  const before = held()
  const createKeyDetails = { ...details, displayName: 'once' }
  const once = () => client.createKey({ createKeyDetails, opcRetryToken: 'token-1' })
  const [first, second] = [await once(), await once()]
  expect(second.key.id).toBe(first.key.id)
  expect(held() - before).toBe(1)
  const other = client.createKey({ createKeyDetails: details, opcRetryToken: 'token-1' })
  expect(await outcome(other)).toBe('409 InvalidatedRetryToken')
  clock.advance(DAY_MS + 1)
  expect((await once()).key.id).not.toBe(first.key.id)
})

test('a retry token is invalid once its key is deleted', async () => {
  const createKeyDetails = { ...details, displayName: 'undone' }
  const once = () => client.createKey({ createKeyDetails, opcRetryToken: 'token-undone' })
  const { key } = await once()
  pass()
  expect(await outcome(once())).toBe('OK')
  simulator.alter(key.id, { state: 'DELETED' })
  expect(await outcome(once())).toBe('409 InvalidatedRetryToken')
})

test('a refused request leaves its retry token unused', async () => {
  const once = (displayName: string | undefined) =>
    outcome(
      client.createKey({
        createKeyDetails: { ...details, displayName } as models.CreateKeyDetails,
        opcRetryToken: 'token-2',
      }),
    )
  expect(await once(undefined)).toBe('400 MissingParameter')
  expect(await once('now')).toBe('OK')
})

test('lists have the keys of one compartment, page by page, without shape and version', async () => {
  const keys = await keyClient(simulator, 'invoices')
  const { id } = vaultNamed(simulator, 'invoices')
  simulator.seed(id, 5, (n) => ({ compartmentId: n === 4 ? orders : invoices, createdAt: inDays(n - 10) }))
  simulator.inject({ fault: 'empty-page', operation: 'ListKeys', calls: [2] })
  simulator.inject({ fault: 'short-page', operation: 'ListKeys', calls: [3] })
  const pages: string[][] = []
  let page: string | undefined
  do {
    const { items, opcNextPage } = await keys.listKeys({ compartmentId: invoices, limit: 2, ...(page && { page }) })
    pages.push(items.map(({ displayName }) => displayName.slice(-1)))
    page = opcNextPage || undefined
  } while (page !== undefined)
  expect(pages).toEqual([['3', '2'], [], ['1'], ['0']])
  const [summary] = (await keys.listKeys({ compartmentId: orders })).items
  expect(summary).toMatchObject({ displayName: 'seeded-000004', algorithm: 'AES' })
  expect(summary).not.toHaveProperty('keyShape')
  expect(summary).not.toHaveProperty('currentKeyVersion')
  const sorted = await keys.listKeys({
    ...{ compartmentId: invoices, sortBy: 'DISPLAYNAME' as never, sortOrder: 'DESC' as never },
  })
  expect(sorted.items.map(({ displayName }) => displayName.slice(-1))).toEqual(['3', '2', '1', '0'])
})

test.each([
  ['protectionMode=HSM', 0],
  ['protectionMode=SOFTWARE&algorithm=RSA', 1],
  ['length=384', 1],
  ['curveId=NIST_P384', 0],
])('the filter %s finds %i keys', async (filter, count) => {
  const { id } = vaultNamed(simulator, 'safe')
  simulator.seed(id, 2, (n) => (n === 0 ? { shape: { algorithm: 'RSA', length: 384 } } : {}))
  const address = new URL((await keyClient(simulator, 'safe')).endpoint).pathname
  const { body } = await send(simulator, `${address}/20180608/keys?compartmentId=${orders}&${filter}`)
  expect(body).toHaveLength(count)
})

test.each([
  ['no compartment', '', 'MissingParameter'],
  ['a page of another list', `compartmentId=${orders}&page=made-up`, 'InvalidParameter'],
  ['a limit of 0', `compartmentId=${orders}&limit=0`, 'InvalidParameter'],
  ['an unknown order', `compartmentId=${orders}&sortBy=COLOUR`, 'InvalidParameter'],
  ['a compartment of another tenancy', 'compartmentId=ocid1.compartment.oc1..x', 'NotAuthorizedOrNotFound'],
])('a list with %s is refused', async (_what, query, code) => {
  const address = new URL(client.endpoint).pathname
  expect((await send(simulator, `${address}/20180608/keys?${query}`)).code).toBe(code)
})

test('keys are not found through the address of another vault, nor by callers without permission', async () => {
  const keyId = await enabledKey()
  const elsewhere = await keyClient(simulator, 'invoices')
  expect(await outcome(elsewhere.getKey({ keyId }))).toBe('404 NotAuthorizedOrNotFound')
  const [, visitor, stranger] = simulator.credentials
  expect(await outcome((await keyClient(simulator, 'orders', visitor)).getKey({ keyId }))).toBe(
    '404 NotAuthorizedOrNotFound',
  )
  const address = new URL(client.endpoint).pathname
  const asked = { ...(stranger && { user: stranger }) }
  expect((await send(simulator, `${address}/20180608/keys/${keyId}`, asked)).status).toBe(401)
})

test('new keys can be hidden for a time', async () => {
  simulator.setDelays({ hiddenMs: 60_000 })
  const keyId = (await create()).key.id
  expect(await outcome(client.getKey({ keyId }))).toBe('404 NotAuthorizedOrNotFound')
  pass()
  expect(await outcome(client.getKey({ keyId }))).toBe('OK')
  simulator.setDelays({ hiddenMs: 0 })
})

test('a caller with read permission changes nothing', async () => {
  const { id } = vaultNamed(simulator, 'invoices')
  const [keyId = ''] = simulator.seed(id, 1, () => ({ displayName: 'read only' }))
  const visitor = await keyClient(simulator, 'invoices', simulator.credentials[1])
  expect(await outcome(visitor.getKey({ keyId }))).toBe('OK')
  expect(await outcome(visitor.disableKey({ keyId }))).toBe('404 NotAuthorizedOrNotFound')
  expect(await outcome(visitor.createKey({ createKeyDetails: { ...details, compartmentId: invoices } }))).toBe(
    '400 RelatedResourceNotAuthorizedOrNotFound',
  )
})

test('a key changes and disappears without a request', async () => {
  const [keyId = ''] = simulator.seed(vaultId, 1, () => ({ displayName: 'of others' }))
  simulator.alter(keyId, { displayName: 'renamed', state: 'DISABLED', newVersions: 1, freeformTags: { by: 'others' } })
  expect(await read(keyId)).toMatchObject({
    displayName: 'renamed',
    lifecycleState: 'DISABLED',
    freeformTags: { by: 'others' },
  })
  expect((await client.listKeyVersions({ keyId })).items).toHaveLength(2)
  simulator.forget(keyId)
  expect(await outcome(client.getKey({ keyId }))).toBe('404 NotAuthorizedOrNotFound')
})

test('in a virtual private vault keys rotate by the clock', async () => {
  const safe = await keyClient(simulator, 'safe')
  const { key } = await safe.createKey({
    createKeyDetails: {
      ...details,
      isAutoRotationEnabled: true,
      autoKeyRotationDetails: { rotationIntervalInDays: 60 },
    },
  })
  expect(key).toMatchObject({ isAutoRotationEnabled: true, autoKeyRotationDetails: { rotationIntervalInDays: 60 } })
  clock.advance(61 * DAY_MS)
  expect((await safe.getKey({ keyId: key.id })).key.currentKeyVersion).not.toBe(key.currentKeyVersion)
  expect((await safe.listKeyVersions({ keyId: key.id })).items.map(({ isAutoRotated }) => isAutoRotated)).toEqual([
    true,
    false,
  ])
})
