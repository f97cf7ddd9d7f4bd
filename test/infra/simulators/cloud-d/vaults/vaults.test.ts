import type { KmsVaultClient } from 'oci-keymanagement'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import {
  BANK,
  SHOP_COMPARTMENTS,
  startCloudD,
  type CloudDSimulator,
} from '../../../../../infra/simulators/cloud-d/simulator.ts'
import { keyClient, outcome, send, vaultClient, vaultNamed } from '../clients.ts'

const DAY_MS = 86_400_000
const { orders, invoices } = SHOP_COMPARTMENTS
const clock = createClock()
let simulator: CloudDSimulator
let client: KmsVaultClient

beforeAll(async () => {
  simulator = await startCloudD({ clock })
  simulator.setDelays({ transitMs: 60_000 })
  client = vaultClient(simulator)
})
afterEach(() => clock.set(new Date()))
afterAll(() => simulator.stop())

const pass = () => clock.advance(60_000)
const inDays = (days: number) => new Date(clock.now().getTime() + days * DAY_MS)
const create = (more: object = {}) =>
  client.createVault({
    createVaultDetails: { compartmentId: invoices, displayName: 'new', vaultType: 'DEFAULT' as never, ...more },
  })
const stateOf = async (vaultId: string) => (await client.getVault({ vaultId })).vault.lifecycleState

test('vaults are listed by region and compartment, without the fields of a single vault', async () => {
  const { items } = await client.listVaults({ compartmentId: orders })
  expect(items.map(({ displayName }) => displayName).sort()).toEqual(['orders', 'safe'])
  expect(items[0]).not.toHaveProperty('wrappingkeyId')
  const { vault } = await client.getVault({ vaultId: items[0]?.id ?? '' })
  expect(vault).toMatchObject({ ...items[0], isPrimary: true, wrappingkeyId: expect.any(String) })
  const overseas = vaultClient(simulator, 'us-ashburn-1')
  expect((await overseas.listVaults({ compartmentId: orders })).items).toEqual([])
  expect(await outcome(overseas.getVault({ vaultId: vault.id }))).toBe('404 NotAuthorizedOrNotFound')
})

test('a vault has addresses of its own for its keys', async () => {
  const { vault } = await client.getVault({ vaultId: vaultNamed(simulator, 'orders').id })
  const { vault: other } = await client.getVault({ vaultId: vaultNamed(simulator, 'safe').id })
  const all = [vault.managementEndpoint, vault.cryptoEndpoint, other.managementEndpoint, other.cryptoEndpoint]
  expect(new Set(all).size).toBe(4)
  for (const address of all) expect(address.startsWith(`${simulator.endpoint}/`)).toBe(true)
})

test('another tenancy sees nothing of it', async () => {
  const stranger = simulator.credentials.find(({ tenancyId }) => tenancyId === BANK)
  const theirs = vaultClient(simulator, 'us-ashburn-1', stranger)
  expect(await outcome(theirs.getVault({ vaultId: vaultNamed(simulator, 'overseas').id }))).toBe(
    '404 NotAuthorizedOrNotFound',
  )
  expect(await outcome(theirs.listVaults({ compartmentId: orders }))).toBe('404 NotAuthorizedOrNotFound')
  const { managementEndpoint } = (
    await vaultClient(simulator, 'us-ashburn-1').getVault({ vaultId: vaultNamed(simulator, 'overseas').id })
  ).vault
  const path = `${new URL(managementEndpoint).pathname}/20180608/wrappingKeys`
  expect((await send(simulator, path, { ...(stranger && { user: stranger }) })).code).toBe('NotAuthorizedOrNotFound')
})

test('a vault is CREATING and then ACTIVE; its keys wait for that', async () => {
  const { vault } = await create({ vaultType: 'VIRTUAL_PRIVATE', freeformTags: { a: '1' } })
  expect(vault).toMatchObject({ lifecycleState: 'CREATING', vaultType: 'VIRTUAL_PRIVATE', freeformTags: { a: '1' } })
  const keys = await keyClient(simulator, 'new')
  const making = () =>
    keys.createKey({
      createKeyDetails: {
        compartmentId: invoices,
        displayName: 'k',
        keyShape: { algorithm: 'AES' as never, length: 32 },
      },
    })
  expect(await outcome(making())).toBe('409 IncorrectState')
  pass()
  expect(await stateOf(vault.id)).toBe('ACTIVE')
  expect(await outcome(making())).toBe('OK')
  const { vaultUsage } = await client.getVaultUsage({ vaultId: vault.id })
  expect(vaultUsage).toEqual({ keyCount: 1, keyVersionCount: 1, softwareKeyCount: 0, softwareKeyVersionCount: 0 })
})

test.each([
  ['no type', { vaultType: undefined }, '400 MissingParameter'],
  ['an unknown type', { vaultType: 'WOODEN' }, '400 InvalidParameter'],
  ['no name', { displayName: undefined }, '400 MissingParameter'],
  ['an unknown compartment', { compartmentId: 'x' }, '400 RelatedResourceNotAuthorizedOrNotFound'],
])('a vault with %s is refused', async (_what, more, expected) => {
  expect(await outcome(create(more))).toBe(expected)
})

test('a vault is renamed, tagged and moved', async () => {
  const vaultId = (await create()).vault.id
  expect(await outcome(client.updateVault({ vaultId, updateVaultDetails: { displayName: 'x' } }))).toBe(
    '409 IncorrectState',
  )
  pass()
  const { vault } = await client.updateVault({
    vaultId,
    updateVaultDetails: { displayName: 'renamed', freeformTags: { b: '2' } },
  })
  expect(vault).toMatchObject({ lifecycleState: 'UPDATING', displayName: 'renamed', freeformTags: { b: '2' } })
  pass()
  await client.changeVaultCompartment({ vaultId, changeVaultCompartmentDetails: { compartmentId: orders } })
  expect((await client.getVault({ vaultId })).vault).toMatchObject({
    compartmentId: orders,
    lifecycleState: 'UPDATING',
  })
})

test('a vault is scheduled for deletion with its keys, and returns with them as they were', async () => {
  const vaultId = (await create({ displayName: 'scheduled' })).vault.id
  pass()
  const [enabled = '', disabled = '', before = ''] = simulator.seed(vaultId, 3, (n) => ({
    state: n === 1 ? 'DISABLED' : 'ENABLED',
    compartmentId: invoices,
  }))
  const keys = await keyClient(simulator, 'scheduled')
  const states = () => [enabled, disabled, before].map((id) => simulator.keyOf(id)?.state)
  const schedule = (timeOfDeletion: Date) =>
    client.scheduleVaultDeletion({ vaultId, scheduleVaultDeletionDetails: { timeOfDeletion } })
  await keys.scheduleKeyDeletion({ keyId: before, scheduleKeyDeletionDetails: { timeOfDeletion: inDays(10) } })
  expect(await outcome(schedule(inDays(20)))).toBe('409 IncorrectState') // a key is being created
  pass()
  expect(await outcome(schedule(inDays(9)))).toBe('409 IncorrectState') // before the deletion of one of its keys
  expect(await outcome(schedule(inDays(6)))).toBe('400 InvalidParameter')
  expect((await schedule(inDays(20))).vault.lifecycleState).toBe('SCHEDULING_DELETION')
  pass()
  expect(await stateOf(vaultId)).toBe('PENDING_DELETION')
  expect(states()).toEqual(['PENDING_DELETION', 'PENDING_DELETION', 'PENDING_DELETION'])
  expect(await outcome(keys.cancelKeyDeletion({ keyId: enabled }))).toBe('409 IncorrectState')
  await client.cancelVaultDeletion({ vaultId })
  pass()
  expect(await stateOf(vaultId)).toBe('ACTIVE')
  expect(states()).toEqual(['ENABLED', 'DISABLED', 'PENDING_DELETION'])
})

test('a deleted vault is still shown, and its keys are not found', async () => {
  const vaultId = (await create({ displayName: 'short-lived' })).vault.id
  pass()
  const keys = await keyClient(simulator, 'short-lived')
  await client.scheduleVaultDeletion({ vaultId, scheduleVaultDeletionDetails: {} })
  expect(await outcome(client.cancelVaultDeletion({ vaultId, ifMatch: 'another' }))).toBe('412 NoEtagMatch')
  clock.advance(31 * DAY_MS)
  expect(await stateOf(vaultId)).toBe('DELETED')
  expect(await outcome(keys.listKeys({ compartmentId: invoices }))).toBe('404 NotAuthorizedOrNotFound')
})
