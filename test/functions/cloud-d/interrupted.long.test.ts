import { describe, expect } from 'vitest'
import { useInterrupting, type Interruptible, type Interruption } from '../interrupted.ts'
import { BUCKET, makeDeleted } from './backed-up.ts'
import { CLOUD_D, CONNECTIONS, connectionBody, INVOICES, keyBody, KEYS, REGION, vaultId } from './cloud-d.ts'

/** Vaults of the keys, with their buckets. */
const VAULTS = { orders: {}, safe: BUCKET }

/**
 * The process dies at every one of its calls, one after the other: after each call to the cloud and each write of the
 * table has taken effect, before its answer arrives. Then the same request is repeated, or the sweeper runs. The
 * outcome must be one key, or one version, as without the interruption.
 */
const { deployment, ok, interrupted, atEveryCall } = useInterrupting({
  cloud: 'cloud-d',
  settles: true,
  prepare: async () => {
    deployment().cloudD.setDelays({ transitMs: 5 })
    await ok('POST', CONNECTIONS, connectionBody(deployment().cloudD, 'main'))
    for (const [vault, bucket] of Object.entries(VAULTS)) {
      const body = { connection: 'main', region: REGION, vault_id: [vaultId(deployment().cloudD, vault)], ...bucket }
      await ok('POST', `${CLOUD_D}/add-vaults`, body)
    }
    await ok('POST', '/v1/vault/keys2', { name: 'source', algorithm: 'aes', size: 256 })
  },
})

const native = (name: string): object => keyBody(name, { algorithm: 'AES', length: 32 })
const made = async (name: string): Promise<string> => (await ok('POST', KEYS, native(name))).id

/** A request about the key `name` that is interrupted, and the expected result. */
interface Interrupted extends Interruptible {
  readonly versions?: number
  /** of the newest version */
  readonly origin?: 'keymgr' | 'native'
  readonly state?: string
  readonly there?: object
}

const OPERATIONS: Readonly<Record<string, Interrupted>> = {
  create: { request: (name) => ({ path: KEYS, body: native(name) }) },
  upload: {
    request: (name) => ({ path: `${CLOUD_D}/upload-key`, body: keyBody(name, { source_key_identifier: 'source' }) }),
    origin: 'keymgr',
  },
  'a version of the cloud own': {
    prepare: made,
    request: (_name, id) => ({ path: `${KEYS}/${id}/versions`, body: { is_native: true } }),
    versions: 2,
  },
  'a version of a local key': {
    prepare: made,
    request: (_name, id) => ({ path: `${KEYS}/${id}/versions`, body: { source_key_identifier: 'source' } }),
    versions: 2,
    origin: 'keymgr',
  },
  'a change of tags': {
    prepare: made,
    request: (_name, id) => ({ method: 'PATCH', path: `${KEYS}/${id}`, body: { freeform_tags: { changed: 'yes' } } }),
    there: { freeformTags: { changed: 'yes' } },
  },
  'a move': {
    prepare: made,
    request: (_name, id) => ({ path: `${KEYS}/${id}/change-compartment`, body: { compartment_id: INVOICES } }),
    there: { compartmentId: INVOICES },
  },
  'a restoration': {
    prepare: (name) => makeDeleted(deployment(), { ok }, name),
    request: (_name, id) => ({ path: `${KEYS}/${id}/restore` }),
    there: { state: 'ENABLED' },
  },
  'schedule a deletion': {
    prepare: made,
    request: (_name, id) => ({ path: `${KEYS}/${id}/schedule-deletion`, body: {} }),
    state: 'PENDING_DELETION',
  },
}

let runs = 0

/**
 * Interrupts the request once, continues it in one way, and checks the result. @returns whether the process died at all
 */
async function once(operation: Interrupted, interruption: Interruption): Promise<boolean> {
  const { versions = 1, origin = 'native', state = 'ENABLED', there = {} } = operation
  const name = `run-${++runs}`
  const { died, told } = await interrupted(name, operation, interruption)
  const { total, resources } = await ok('GET', `${KEYS}?display_name=${name}`)
  expect(total, told).toBe(1)
  const { id } = resources[0]
  const key = await ok('POST', `${KEYS}/${id}/refresh`)
  expect(key, told).toMatchObject({ version_count: versions, cloud_d_params: { lifecycle_state: state } })
  const { cloudD } = deployment()
  const named = Object.keys(VAULTS)
    .flatMap((vault) => cloudD.keysIn(vaultId(cloudD, vault)))
    .filter((one) => one.displayName === name)
  expect(named, told).toMatchObject([{ ...there, versions: Array.from({ length: versions }, () => ({})) }])
  const recorded = await ok('GET', `${KEYS}/${id}/versions`)
  expect(recorded.total, told).toBe(versions)
  expect(
    recorded.resources.find(({ is_current }: any) => is_current),
    told,
  ).toMatchObject({ key_material_origin: origin })
  return died
}

describe.each(Object.entries(OPERATIONS))('%s', (_name, operation) => {
  atEveryCall('leaves it done once in the end', (interruption) => once(operation, interruption))
})
