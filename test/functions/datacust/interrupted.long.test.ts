import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startDeployment, type Deployment } from '../../../infra/local/deployment.ts'
import { startFaultProxy, type FaultProxy } from '../../../infra/local/fault-proxy.ts'
import { startTable, type Table } from '../../../infra/local/table.ts'
import { BUNDLES } from '../../support/build.ts'
import { dieAt } from '../../support/deaths.ts'
import { ADMIN_PASSWORD, Service, type Answered } from '../../support/service.ts'
import { CONNECTIONS, DATACUST, groupNamed, KEYS, mainBody } from './datacust.ts'

/**
 * The process dies at every one of its calls, one after the other: after each call to the cloud and each write of the
 * table has taken effect, before its answer arrives. Then the same request is repeated, or the sweeper runs. The
 * outcome must be one key, one version or one reference, as without the interruption.
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
  await ok('POST', CONNECTIONS, mainBody(deployment.datacust))
  const group_id = ['finance', 'outpost'].map((name) => groupNamed(deployment.datacust, name).id)
  await ok('POST', `${DATACUST}/add-groups`, { connection: 'main', group_id })
  await ok('POST', '/v1/vault/keys2', { name: 'source', algorithm: 'aes', size: 256 })
  await ok('POST', '/v1/vault/keys2', { name: 'next', algorithm: 'aes', size: 256 })
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
  await deployment.fire('sweep-due') // keys that were being restored are read again
  const answer = (await deployment.fire('sweep-due')) as { resumed: number }
  token = await service.logIn()
  return answer.resumed
}

const AES = { type: 'AES', operations: ['ENCRYPT', 'DECRYPT'] }
const native = (name: string): object => ({ group: 'finance', name, size: 256, ...AES })
const uploaded = (name: string, group: string): object => ({ group, name, source_key_identifier: 'source', ...AES })
const made = async (name: string): Promise<string> => (await ok('POST', KEYS, native(name))).id
const madeAway = async (name: string): Promise<string> =>
  (await ok('POST', `${DATACUST}/upload-key`, uploaded(name, 'outpost'))).id

/** A request about the key `name` that is interrupted, and the expected result. */
interface Interrupted {
  readonly prepare?: (name: string) => Promise<string>
  readonly request: (name: string, keyId: string) => { method?: string; path: string; body?: object }
  readonly group?: 'outpost'
  readonly versions?: number
  /** the record in the end */
  readonly record?: object
  readonly references?: number
}

const OPERATIONS: Readonly<Record<string, Interrupted>> = {
  create: { request: (name) => ({ path: KEYS, body: native(name) }) },
  upload: {
    request: (name) => ({ path: `${DATACUST}/upload-key`, body: uploaded(name, 'finance') }),
    record: { origin: 'keymgr' },
  },
  'an upload into a group of AWS': {
    request: (name) => ({ path: `${DATACUST}/upload-key`, body: uploaded(name, 'outpost') }),
    group: 'outpost',
    record: { origin: 'keymgr' },
  },
  'a version of the cloud own': {
    prepare: made,
    request: (_name, id) => ({ path: `${KEYS}/${id}/versions`, body: { is_native: true } }),
    versions: 2,
  },
  'a version of a local key': {
    prepare: made,
    request: (_name, id) => ({ path: `${KEYS}/${id}/versions`, body: { source_key_identifier: 'next' } }),
    versions: 2,
  },
  'a version of a local key in a group of AWS': {
    prepare: madeAway,
    request: (_name, id) => ({ path: `${KEYS}/${id}/versions`, body: { source_key_identifier: 'next' } }),
    group: 'outpost',
    versions: 2,
  },
  'a change': {
    prepare: made,
    request: (_name, id) => ({ method: 'PATCH', path: `${KEYS}/${id}`, body: { enabled: false } }),
    record: { status: 'DISABLED' },
  },
  'a dynamic reference': {
    prepare: made,
    request: (name, key_id) => ({ path: `${DATACUST}/dkr`, body: { name: name.replace('-', ' '), key_id } }),
    references: 1,
  },
}

let runs = 0

/**
 * Interrupts the request once, continues it in one way, and checks the result. @returns whether the process died at all
 */
async function once(
  { prepare, request, group, versions = 1, record = {}, references = 0 }: Interrupted,
  at: 'datacust' | 'table',
  n: number,
  way: 'asked again' | 'swept',
): Promise<boolean> {
  const name = `run-${++runs}`
  const prepared = (await prepare?.(name)) ?? ''
  const { method = 'POST', path, body } = request(name, prepared)
  const disarm = dieAt(deployment, proxy, { of: 'datacust', at, n })
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
  const { total, resources } = await ok('GET', `${KEYS}?name=${name}`)
  expect(total, told).toBe(1)
  const { id } = resources[0]
  expect(await ok('POST', `${KEYS}/${id}/refresh`), told).toMatchObject({ version_count: versions, ...record })
  const groupId = groupNamed(deployment.datacust, group ?? 'finance').id
  const named = deployment.datacust.keysIn(groupId).filter((one) => one.name === name)
  expect(named, told).toMatchObject([{ versions: Array.from({ length: versions }, (_, number) => number) }])
  expect((await ok('GET', `${KEYS}/${id}/versions`)).total, told).toBe(versions)
  expect((await ok('GET', `${DATACUST}/dkr?key_id=${id}`)).total, told).toBe(references)
  const there = deployment.datacust.referencesTo(named[0]?.id ?? '')
  expect(there, told).toHaveLength(references)
  return died
}

/** A key is deleted once, after a backup that is on record, and restored from it once. */
async function deletedAndRestored(at: 'datacust' | 'table', n: number, action: 'delete' | 'restore'): Promise<boolean> {
  const name = `ended-${++runs}`
  const id = await made(name)
  if (action === 'restore') await ok('POST', `${KEYS}/${id}/delete`)
  const disarm = dieAt(deployment, proxy, { of: 'datacust', at, n })
  const ask = () => call('POST', `${KEYS}/${id}/${action}`, undefined, { 'idempotency-key': name })
  const first = await ask()
  const died = disarm()
  if (died) await laterOn()
  const last = died ? await ask() : first
  const told = `death at ${at} call ${n}: ${JSON.stringify(last.body)}`
  expect(last.status, told).toBe(200)
  const key = await ok('POST', `${KEYS}/${id}/refresh`)
  const status = action === 'delete' ? 'DELETED' : 'AVAILABLE'
  expect(key, told).toMatchObject({ status, gone: action === 'delete', backup_blob: expect.any(String) })
  const groupId = groupNamed(deployment.datacust, 'finance').id
  const there = deployment.datacust.keysIn(groupId).filter((one) => one.name === name)
  expect(there, told).toHaveLength(action === 'delete' ? 0 : 1)
  return died
}

const PLACES = ['datacust', 'table'] as const

describe.each(Object.entries(OPERATIONS))('%s', (_name, operation) => {
  test.each(PLACES)(
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

describe.each(['delete', 'restore'] as const)('%s', (action) => {
  test.each(PLACES)(
    'a death at any call to %s leaves it done once in the end, with its backup',
    async (at) => {
      let deaths = 0
      for (let n = 1; await deletedAndRestored(at, n, action); n++) deaths++
      expect(deaths).toBeGreaterThan(0)
      expect(await unfinished()).toBe(0)
    },
    240_000,
  )
})
