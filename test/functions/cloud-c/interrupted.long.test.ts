import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFaultProxy, type FaultProxy } from '../../../infra/local/fault-proxy.ts'
import { startTable, type Table } from '../../../infra/local/table.ts'
import { startDeployment, type Deployment } from '../../../infra/local/deployment.ts'
import { BUNDLES } from '../../support/build.ts'
import { dieAt } from '../../support/deaths.ts'
import { ADMIN_PASSWORD, Service, type Answered } from '../../support/service.ts'
import { CLOUD_C, CONNECTIONS, connectionBody, KEYS, PROJECT, RING } from './cloud-c.ts'

/**
 * The process dies at each of its calls in turn: after each call to the cloud and after each write of the table has
 * taken effect, before the answer arrives. Then the same request is repeated, or the sweeper runs: the outcome is one
 * key, or one version, created once, as if nothing had happened.
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
  service = new Service(deployment)
  token = await service.logIn()
  await ok('POST', CONNECTIONS, connectionBody(deployment.cloudC, 'main'))
  const body = { connection: 'main', project_id: PROJECT, key_rings: [{ name: RING }] }
  await ok('POST', `${CLOUD_C}/add-key-rings`, body)
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

/** Past the lease of the dead process. */
async function laterOn(): Promise<void> {
  deployment.clock.advance(3 * 60_000)
  token = await service.logIn()
}
const unfinished = async (): Promise<number> => {
  deployment.clock.advance(3 * 3_600_000)
  const answer = (await deployment.fire('sweep-due')) as { resumed: number }
  token = await service.logIn()
  return answer.resumed
}

const keyBody = (key_name: string) => ({
  key_ring: RING,
  cloud_c_params: { key_name, purpose: 'ENCRYPT_DECRYPT' },
})
const made = async (name: string): Promise<string> => (await ok('POST', KEYS, keyBody(name))).id

/** An interrupted request on the key `name`, and the expected state after it. */
interface Interrupted {
  readonly prepare?: (name: string) => Promise<string>
  readonly request: (name: string, keyId: string) => { method?: string; path: string; body?: object }
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
async function once(
  { prepare, request, versions, primary, origin = 'native', state = 'ENABLED' }: Interrupted,
  at: 'cloud-c' | 'table',
  n: number,
  way: 'asked again' | 'swept',
): Promise<boolean> {
  const name = `run-${++runs}`
  const prepared = (await prepare?.(name)) ?? ''
  const { method = 'POST', path, body } = request(name, prepared)
  const disarm = dieAt(deployment, proxy, { of: 'cloud-c', at, n })
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
  const there = deployment.cloudC.keyOf(`${RING}/cryptoKeys/${name}`)
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
  test.each(['cloud-c', 'table'] as const)(
    'a death at any call to %s leaves it done once in the end',
    async (at) => {
      let deaths = 0
      for (let n = 1; await once(operation, at, n, n % 2 === 0 ? 'swept' : 'asked again'); n++) deaths++
      expect(deaths).toBeGreaterThan(0)
      expect(await unfinished()).toBe(0)
    },
    120_000,
  )
})
