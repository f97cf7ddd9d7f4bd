import { beforeAll, describe, expect, test } from 'vitest'
import { PFX } from '../../infra/simulators/cloud-b/certificates/pfx-file.ts'
import { CLOUD_B } from './cloud-b.ts'
import { useDeaths, type DiesAt } from './deaths.ts'
import { IN, keyBody, KEYS, uploadBody, vaultsBody } from './keys.ts'

/**
 * The process dies at each of its calls in turn: after each call to the cloud and after each write of the table has
 * taken effect, before the answer arrives. Then the same request is repeated, or the sweeper runs: the outcome is one
 * more version, or one deletion, as if nothing had happened.
 */
const tests = useDeaths()
let kek = ''

beforeAll(async () => {
  await ok('POST', `${CLOUD_B}/add-vaults`, vaultsBody([IN.premium]))
  await ok('POST', '/v1/vault/keys2', { name: 'source', algorithm: 'ec', curveid: 'prime256v1' })
  const made = await ok('POST', KEYS, keyBody('kek', { kty: 'RSA-HSM', key_ops: ['import'] }))
  kek = made.cloud_b_param.key.kid
})

const ok = (method: string, path: string, body?: unknown): Promise<any> => tests().admin.ok(method, path, body)

const made = async (name: string): Promise<string> => (await ok('POST', KEYS, keyBody(name))).id
const madeTwice = async (name: string): Promise<string> => {
  await made(name)
  return made(name)
}
const deleted = async (name: string): Promise<string> => {
  const id = await madeTwice(name)
  await ok('POST', `${KEYS}/${id}/soft-delete`)
  return id
}

/** An interrupted request on the key `name`, and the expected state after it. */
interface Interrupted {
  readonly prepare?: (name: string) => Promise<string>
  readonly request: (name: string, keyId: string) => { method?: string; path: string; body?: object }
  readonly versions: number
  /** of the newest version */
  readonly origin?: 'keymgr' | 'native'
  /** of every version */
  readonly status?: 'ACTIVE' | 'SOFT-DELETED' | 'DELETED'
  /** the sweeper lacks data that only the request has */
  readonly isCarried?: true
}

const UPLOAD = `${CLOUD_B}/upload-key`
const act = (action: string) => (_name: string, id: string) => ({ path: `${KEYS}/${id}/${action}` })

const OPERATIONS: Readonly<Record<string, Interrupted>> = {
  create: { request: (name) => ({ path: KEYS, body: keyBody(name) }), versions: 1 },
  'another version': { prepare: made, request: (name) => ({ path: KEYS, body: keyBody(name) }), versions: 2 },
  upload: {
    prepare: made,
    request: (name) => ({ path: UPLOAD, body: uploadBody(name, 'source') }),
    versions: 2,
    origin: 'keymgr',
  },
  'upload under a key-exchange key': {
    request: (name) => ({ path: UPLOAD, body: uploadBody(name, 'source', { kek_kid: kek }) }),
    versions: 1,
    origin: 'keymgr',
  },
  'upload of a PFX': {
    request: (name) => ({
      path: UPLOAD,
      body: { key_name: name, key_vault: IN.premium, source_key_tier: 'pfx', pfx: PFX.base64, password: PFX.password },
    }),
    versions: 1,
    isCarried: true,
  },
  update: {
    prepare: made,
    request: (_name, id) => ({ method: 'PATCH', path: `${KEYS}/${id}`, body: { tags: { a: 'b' } } }),
    versions: 1,
  },
  deletion: { prepare: madeTwice, request: act('soft-delete'), versions: 2, status: 'SOFT-DELETED' },
  recovery: { prepare: deleted, request: act('recover'), versions: 2 },
  purge: { prepare: deleted, request: act('hard-delete'), versions: 2, status: 'DELETED' },
}

let runs = 0

/** One death, one recovery, and the resulting state. @returns whether the process died at all */
async function once(
  { prepare, request, versions, origin = 'native', status = 'ACTIVE', isCarried }: Interrupted,
  at: DiesAt,
  n: number,
): Promise<boolean> {
  const { admin, deployment, interrupted } = tests()
  const name = `run-${++runs}`
  const prepared = (await prepare?.(name)) ?? ''
  const { method = 'POST', path, body } = request(name, prepared)
  const ask = () => admin.call(method, path, body, { 'idempotency-key': name })
  const { died, last, told } = await interrupted(ask, { at, n, isCarried })
  expect([200, 201], told).toContain(last.status)
  const there = deployment.cloudB.keyOf(IN.premium, name)
  if (status === 'DELETED') expect(there, told).toBeUndefined()
  else expect(there, told).toMatchObject({ deleted: status === 'SOFT-DELETED' })
  if (there !== undefined) expect(there.versions, told).toHaveLength(versions)
  const { total, resources } = await ok('GET', `${KEYS}?key_name=${name}&sort=createdAt`)
  expect(total, told).toBe(versions)
  for (const one of resources) expect(one, told).toMatchObject({ status })
  expect(
    resources.filter(({ is_latest }: any) => is_latest),
    told,
  ).toHaveLength(1)
  expect(resources.at(-1), told).toMatchObject({ is_latest: true, key_material_origin: origin })
  return died
}

describe.each(Object.entries(OPERATIONS))('%s', (_name, operation) => {
  test.each(['cloud-b', 'table'] as const)(
    'a death at any call to %s leaves it done once in the end',
    async (at) => {
      await tests().atEvery((n) => once(operation, at, n))
    },
    300_000,
  )
})
