import { describe, expect } from 'vitest'
import { useInterrupting, type Interruptible, type Interruption } from '../interrupted.ts'
import { CLOUD_C, CONNECTIONS, connectionBody, KEYS, PROJECT, RING } from './cloud-c.ts'

/**
 * The process dies at each of its calls in turn: after each call to the cloud and after each write of the table has
 * taken effect, before the answer arrives. Then the same request is repeated, or the sweeper runs: the outcome is one
 * key, or one version, created once, as if nothing had happened.
 */
const { deployment, ok, interrupted, atEveryCall } = useInterrupting({
  cloud: 'cloud-c',
  prepare: async () => {
    await ok('POST', CONNECTIONS, connectionBody(deployment().cloudC, 'main'))
    const body = { connection: 'main', project_id: PROJECT, key_rings: [{ name: RING }] }
    await ok('POST', `${CLOUD_C}/add-key-rings`, body)
    await ok('POST', '/v1/vault/keys2', { name: 'source', algorithm: 'aes', size: 256 })
  },
})

const keyBody = (key_name: string) => ({
  key_ring: RING,
  cloud_c_params: { key_name, purpose: 'ENCRYPT_DECRYPT' },
})
const made = async (name: string): Promise<string> => (await ok('POST', KEYS, keyBody(name))).id

/** An interrupted request on the key `name`, and the expected state after it. */
interface Interrupted extends Interruptible {
  readonly versions: number
  readonly primary: number
  /** of the newest version */
  readonly origin?: 'keymgr' | 'native'
  readonly state?: string
}

const OPERATIONS: Readonly<Record<string, Interrupted>> = {
  create: { request: (name) => ({ path: KEYS, body: keyBody(name) }), versions: 1, primary: 1 },
  upload: {
    request: (name) => ({ path: `${CLOUD_C}/upload-key`, body: { ...keyBody(name), source_key_id: 'source' } }),
    versions: 1,
    primary: 1,
    origin: 'keymgr',
  },
  'a version of the cloud own': {
    prepare: made,
    request: (_name, id) => ({ path: `${KEYS}/${id}/versions`, body: { is_native: true } }),
    versions: 2,
    primary: 2,
  },
  'a version of a local key': {
    prepare: made,
    request: (_name, id) => ({ path: `${KEYS}/${id}/versions`, body: { source_key_id: 'source' } }),
    versions: 2,
    primary: 2,
    origin: 'keymgr',
  },
  'another primary': {
    prepare: async (name) => {
      const id = await made(name)
      await ok('POST', `${KEYS}/${id}/versions`, { is_native: true })
      return id
    },
    request: (_name, id) => ({
      method: 'PATCH',
      path: `${KEYS}/${id}`,
      body: { primary_version_id: '1', labels: { changed: 'yes' } },
    }),
    versions: 2,
    primary: 1,
  },
  'schedule a destruction': {
    prepare: made,
    request: (_name, id) => ({ path: `${KEYS}/${id}/versions/1/schedule-destroy` }),
    versions: 1,
    primary: 1,
    state: 'DESTROY_SCHEDULED',
  },
}

let runs = 0

/** One death, one recovery, and the resulting state. @returns whether the process died at all */
async function once(operation: Interrupted, interruption: Interruption): Promise<boolean> {
  const { versions, primary, origin = 'native', state = 'ENABLED' } = operation
  const name = `run-${++runs}`
  const { died, told } = await interrupted(name, operation, interruption)
  const there = deployment().cloudC.keyOf(`${RING}/cryptoKeys/${name}`)
  expect(there, told).toMatchObject({ primary, versions: Array.from({ length: versions }, () => ({})) })
  const { total, resources } = await ok('GET', `${KEYS}?key_name=${name}`)
  expect(total, told).toBe(1)
  expect(resources[0], told).toMatchObject({ create_status: 'success', version_count: versions })
  const recorded = await ok('GET', `${KEYS}/${resources[0].id}/versions?sort=-version`)
  expect(recorded.total, told).toBe(versions)
  expect(recorded.resources[0], told).toMatchObject({ state, key_material_origin: origin })
  return died
}

describe.each(Object.entries(OPERATIONS))('%s', (_name, operation) => {
  atEveryCall('leaves it done once in the end', (interruption) => once(operation, interruption), 120_000)
})
