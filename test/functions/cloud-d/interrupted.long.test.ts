import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startDeployment, type Deployment } from '../../../infra/local/deployment.ts'
import { startFaultProxy, type FaultProxy } from '../../../infra/local/fault-proxy.ts'
import { startTable, type Table } from '../../../infra/local/table.ts'
import { BUNDLES } from '../../support/build.ts'
import { dieAt } from '../../support/deaths.ts'
import { ADMIN_PASSWORD, Service, type Answered } from '../../support/service.ts'
import { CLOUD_D, CONNECTIONS, connectionBody, INVOICES, keyBody, KEYS, REGION, vaultId } from './cloud-d.ts'

/**
 * The process dies at every one of its calls, one after the other: after each call to the cloud and each write of the
 * table has taken effect, before its answer arrives. Then the same request is repeated, or the sweeper runs. The
 * outcome must be one key, or one version, as without the interruption.
 */
let table: Table
let proxy: FaultProxy
let deployment: Deployment
let service: Service
let token = ''

beforeAll(async () => {
  table = await startTable({})
  proxy = await startFaultProxy(table.endpoint)
  deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: ADMIN_PASSWORD,
    tableEndpoint: proxy.endpoint,
    environment: { KEYMGR_CHECK_ANSWERS: 'true', KEYMGR_CALLS_PER_SECOND: '100000' },
  })
  deployment.cloudD.setDelays({ transitMs: 5 })
  service = new Service(deployment)
  token = await service.logIn()
  await ok('POST', CONNECTIONS, connectionBody(deployment.cloudD, 'main'))
  const body = { connection: 'main', region: REGION, vault_id: [vaultId(deployment.cloudD, 'orders')] }
  await ok('POST', `${CLOUD_D}/add-vaults`, body)
  await ok('POST', '/v1/vault/keys2', { name: 'source', algorithm: 'aes', size: 256 })
})
afterAll(async () => {
  await deployment.stop()
  await proxy.stop()
  await table.stop()
})

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered> =>
  service.call(method, path, { token, body, ...(headers && { headers }) })
async function ok(method: string, path: string, body?: unknown): Promise<any> {
  const answered = await call(method, path, body)
  expect([200, 201], `${method} ${path}: ${JSON.stringify(answered.body)}`).toContain(answered.status)
  return answered.body
}

/** Advances the clock past the lease of the dead process. */
async function laterOn(): Promise<void> {
  deployment.clock.advance(3 * 60_000)
  token = await service.logIn()
}
const unfinished = async (): Promise<number> => {
  deployment.clock.advance(3 * 3_600_000)
  await deployment.fire('sweep-due') // keys that were being changed are read again
  const answer = (await deployment.fire('sweep-due')) as { resumed: number }
  token = await service.logIn()
  return answer.resumed
}

const native = (name: string): object => keyBody(name, { algorithm: 'AES', length: 32 })
const made = async (name: string): Promise<string> => (await ok('POST', KEYS, native(name))).id

/** A request about the key `name` that is interrupted, and the expected result. */
interface Interrupted {
  readonly prepare?: (name: string) => Promise<string>
  readonly request: (name: string, keyId: string) => { method?: string; path: string; body?: object }
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
async function once(
  { prepare, request, versions = 1, origin = 'native', state = 'ENABLED', there = {} }: Interrupted,
  at: 'cloud-d' | 'table',
  n: number,
  way: 'asked again' | 'swept',
): Promise<boolean> {
  const name = `run-${++runs}`
  const prepared = (await prepare?.(name)) ?? ''
  const { method = 'POST', path, body } = request(name, prepared)
  const disarm = dieAt(deployment, proxy, { of: 'cloud-d', at, n })
  const ask = () => call(method, path, body, method === 'POST' ? { 'idempotency-key': name } : undefined)
  const first = await ask()
  const died = disarm()
  if (died) {
    expect(first.status, `death at ${at} call ${n}`).toBeGreaterThanOrEqual(500)
    await laterOn()
    if (way === 'swept') await deployment.fire('sweep-due')
  }
  const last = died ? await ask() : first
  const told = `${way} after death at ${at} call ${n}: ${JSON.stringify(last.body)}`
  expect([200, 201], told).toContain(last.status)
  const { total, resources } = await ok('GET', `${KEYS}?display_name=${name}`)
  expect(total, told).toBe(1)
  const { id } = resources[0]
  const key = await ok('POST', `${KEYS}/${id}/refresh`)
  expect(key, told).toMatchObject({ version_count: versions, cloud_d_params: { lifecycle_state: state } })
  const named = deployment.cloudD.keysIn(vaultId(deployment.cloudD, 'orders')).filter((one) => one.displayName === name)
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
  test.each(['cloud-d', 'table'] as const)(
    'a death at any call to %s leaves it done once in the end',
    async (at) => {
      let deaths = 0
      for (let n = 1; await once(operation, at, n, n % 2 === 0 ? 'swept' : 'asked again'); n++) deaths++
      expect(deaths).toBeGreaterThan(0)
      expect(await unfinished()).toBe(0)
    },
    240_000,
  )
})
