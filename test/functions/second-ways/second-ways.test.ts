import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  CLOUD_B,
  connectionBody as cloudBBody,
  CONNECTIONS as CLOUD_B_CONNECTIONS,
  SUBSCRIPTION,
  VAULT,
} from '../cloud-b/cloud-b.ts'
import {
  CLOUD_C,
  connectionBody as cloudCBody,
  CONNECTIONS as CLOUD_C_CONNECTIONS,
  PROJECT,
  RING,
} from '../cloud-c/cloud-c.ts'
import {
  CLOUD_D,
  connectionBody as cloudDBody,
  CONNECTIONS as CLOUD_D_CONNECTIONS,
  REGION,
  vaultId,
} from '../cloud-d/cloud-d.ts'
import { rotation, schedulerOf } from '../scheduler/scheduler.ts'
import { useVault, type Holder } from '../vault/vault.ts'
import { OWN_ACTIONS } from './own-actions.ts'
import { DECIDED_BY_ROWS, SECOND_WAYS } from './table.ts'

const vault = useVault()
let admin: Holder
beforeAll(() => {
  admin = vault().admin
})

const { paths } = JSON.parse(readFileSync('clients/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, { 'x-keymgr-action'?: string }>>
}
const described = Object.values(paths).flatMap((path) => Object.entries(path))
const all = new Set(described.flatMap(([, operation]) => operation['x-keymgr-action'] ?? []))
const changing = new Set(
  described.flatMap(([method, { 'x-keymgr-action': action }]) =>
    method === 'get' || action === undefined || action.startsWith('Read') ? [] : [action],
  ),
)

describe('every operation that can change a record', () => {
  test('is in one table: it has only its own effect, or names its further actions', () => {
    const tables = [[...OWN_ACTIONS], Object.keys(SECOND_WAYS), DECIDED_BY_ROWS]
    expect(tables.flat().toSorted()).toEqual([...changing].sort())
  })

  test('with effects of other operations names known actions', () => {
    for (const [action, singles] of Object.entries(SECOND_WAYS))
      for (const single of singles) expect(all, `${action}: ${single}`).toContain(single)
  })
})

let count = 0
/** Runs `work` while a policy denies an action on records. */
async function whileDenied(action: string, resource: string, work: () => Promise<void>): Promise<void> {
  const policy = { name: `denial ${++count}`, effect: 'deny', actions: [action], resources: [resource] }
  const { id } = await admin.ok('POST', '/v1/admin/policies', policy)
  const to = { policy: id, principalSelector: { groups: ['admin'] } }
  const { id: held } = await admin.ok('POST', '/v1/admin/policy-attachments', to)
  vault().advance(5_000)
  await work()
  await admin.ok('DELETE', `/v1/admin/policy-attachments/${held as string}`)
  vault().advance(5_000)
}

/** A call that does what `single` does to records with this URI. */
interface Way {
  readonly single: string
  readonly resource: string
  readonly method: string
  readonly path: string
  readonly body?: object
}

const BASIC = { basic: { clients: ['a@b.test'] } }
const EKM = '/v1/keymgr/ekm/endpoints'

/** Each is prepared in turn; then the single action is denied on its record, and allowed again. */
const WAYS: Readonly<Record<string, () => Promise<Way>>> = {
  'CloneKey reads': async () => {
    const { uri, id } = await admin.create({ name: 'read by a clone' })
    const at = `/v1/vault/keys2/${id as string}/clone`
    return { single: 'ReadKey', resource: uri, method: 'POST', path: at, body: { newKeyName: 'clone 1' } }
  },
  'CloneKey creates': async () => {
    const { id } = await admin.create({ name: 'cloned' })
    const at = `/v1/vault/keys2/${id as string}/clone`
    return { single: 'CreateKey', resource: '*', method: 'POST', path: at, body: { newKeyName: 'clone 2' } }
  },
  CreateVirtualKey: async () => {
    const { uri, id } = await admin.create({ name: 'below', algorithm: 'aes', size: 256 })
    const body = { source_key_id: id }
    return { single: 'ReadKey', resource: uri, method: 'POST', path: '/v1/keymgr/virtual/keys', body }
  },
  CreateEKMEndpoint: async () => {
    const { uri, name } = await admin.create({ name: 'kek', unexportable: true, undeletable: true })
    const body = { name: 'over it', keyURIHostname: 'ekm.example.test', existing_key_id: name, policy: BASIC }
    return { single: 'ReadKey', resource: uri, method: 'POST', path: EKM, body }
  },
  RotateEKMEndpoint: async () => {
    const body = { name: 'rotated', keyURIHostname: 'ekm.example.test', policy: BASIC }
    const { id, kekID } = await admin.ok('POST', EKM, body)
    const { uri } = await admin.get(kekID as string)
    return { single: 'RotateKey', resource: uri, method: 'POST', path: `${EKM}/${id as string}/rotate` }
  },
  AddCloudCKeyRings: async () => {
    await admin.ok('POST', CLOUD_C_CONNECTIONS, cloudCBody(vault().service.deployment.cloudC, 'c'))
    const body = { connection: 'c', project_id: PROJECT, key_rings: [{ name: RING }] }
    return { single: 'AddCloudCProject', resource: '*', method: 'POST', path: `${CLOUD_C}/add-key-rings`, body }
  },
  AddCloudDVaults: async () => {
    const { cloudD } = vault().service.deployment
    await admin.ok('POST', CLOUD_D_CONNECTIONS, cloudDBody(cloudD, 'd'))
    const body = { connection: 'd', region: REGION, vault_id: [vaultId(cloudD, 'orders')] }
    return { single: 'AddCloudDTenancy', resource: '*', method: 'POST', path: `${CLOUD_D}/add-vaults`, body }
  },
  EnableCloudBVaultRotationJob: async () => {
    await admin.ok('POST', CLOUD_B_CONNECTIONS, cloudBBody(vault().service.deployment.cloudB, 'b'))
    const added = { connection: 'b', subscription_id: SUBSCRIPTION, vaults: [{ name: VAULT }] }
    const { vaults } = await admin.ok('POST', `${CLOUD_B}/add-vaults`, added)
    const key = { key_name: 'joined', key_vault: VAULT, cloud_b_param: { kty: 'EC' } }
    const { uri } = await admin.ok('POST', `${CLOUD_B}/keys`, key)
    const config = await schedulerOf(vault()).create(rotation('of the vault', { cloud_name: 'cloud-b' }))
    const path = `${CLOUD_B}/vaults/${vaults[0].id as string}/enable-rotation-job`
    const body = { job_config_id: config.id, auto_rotate_key_source: 'native' }
    return { single: 'EnableCloudBKeyRotationJob', resource: uri, method: 'POST', path, body }
  },
}

test.each(Object.keys(WAYS))('a denial of the single action denies %s too', async (name) => {
  const { single, resource, method, path, body } = (await WAYS[name]?.()) as Way
  const [action = ''] = name.split(' ')
  expect(SECOND_WAYS[action]).toContain(single)
  await whileDenied(single, resource, async () => {
    const { status, body: answer } = await admin.call(method, path, body)
    expect(status, JSON.stringify(answer)).toBe(403)
  })
  const { status, body: answer } = await admin.call(method, path, body)
  expect([200, 201], JSON.stringify(answer)).toContain(status)
})
