import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SimulatedKeyView } from '../../../infra/simulators/cloud-a/simulator.ts'
import type { Deployment } from '../../../infra/local/deployment.ts'
import { startBehindProxy, type BehindProxy } from '../../support/behind-proxy.ts'
import { dieAt } from '../../support/deaths.ts'
import type { Answered, Service } from '../../support/service.ts'
import { CLOUD_A, KEYS, REGION, UPLOAD } from './cloud-a.ts'

/**
 * The process dies at each of its calls in turn: after each call to the cloud and after each write of the table has
 * taken effect, before the answer arrives. Then the same request is repeated, or the sweeper runs: the outcome is one
 * key, created once, as if nothing had happened.
 */
let started: BehindProxy
let deployment: Deployment
let service: Service
let account = ''
let kms = ''
let token = ''
let store = ''

const STORES = `${CLOUD_A}/custom-key-stores`
const HOSTED = `${CLOUD_A}/create-hyok-key`

beforeAll(async () => {
  started = await startBehindProxy({ tlsPort: 'any', proxyTimeoutMs: 10_000 })
  service = started.service
  deployment = service.deployment
  token = await service.logIn()
  const [main] = deployment.cloudA.accounts
  account = main?.id ?? ''
  const credentials = {
    access_key_id: main?.credentials.accessKeyId,
    secret_access_key: main?.credentials.secretAccessKey,
  }
  await ok('POST', '/v1/connectionmgmt/services/cloud-a/connections', { name: 'main', ...credentials })
  kms = (
    await ok('POST', `${CLOUD_A}/kms`, { name: 'main', account_id: account, connection: 'main', regions: [REGION] })
  ).id
  await ok('POST', '/v1/vault/keys2', { name: 'source', algorithm: 'aes', size: 256 })
  deployment.cloudA.setDelays({ connection: 0 })
  const { id } = await ok('POST', STORES, {
    name: 'store',
    kms: 'main',
    region: REGION,
    linked_state: true,
    cloud_a_param: { xks_proxy_uri_endpoint: 'https://xks.keymgr.test' },
    local_hosted_params: { health_check_key_id: 'source', max_credentials: 2 },
  })
  store = id
  expect((await call('POST', `${STORES}/${store}/connect`, {})).status).toBe(202)
  expect((await ok('GET', `${STORES}/${store}`)).cloud_a_param.connection_state).toBe('CONNECTED')
})
afterAll(() => started.stop())

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered> =>
  service.call(method, path, { token, body, ...(headers && { headers }) })
async function ok(method: string, path: string, body?: unknown): Promise<any> {
  const answered = await call(method, path, body)
  expect([200, 201, 202], `${method} ${path}: ${JSON.stringify(answered.body)}`).toContain(answered.status)
  return answered.body
}

const killAt = (at: 'cloud' | 'table', n: number): (() => boolean) =>
  dieAt(deployment, started.proxy, { of: 'cloud-a', at, n })

/** Past the lease of the dead process. */
async function laterOn(): Promise<void> {
  deployment.clock.advance(3 * 60_000)
  token = await service.logIn()
}

const ours = (): SimulatedKeyView[] =>
  deployment.cloudA.keysIn(account, REGION).filter(({ tags }) => tags.keymgr_key_id !== undefined)
const alive = (): SimulatedKeyView[] => ours().filter(({ state }) => state !== 'PendingDeletion')
const recorded = async (): Promise<any[]> => (await ok('GET', `${KEYS}?kms_id=${kms}&limit=-1`)).resources
const unfinished = async (): Promise<number> => {
  deployment.clock.advance(3 * 3_600_000)
  const answer = (await deployment.fire('sweep-due')) as { resumed: number }
  token = await service.logIn()
  return answer.resumed
}

/** An interrupted request, and how to check that it took effect once. */
interface Interrupted {
  readonly prepare?: (n: string) => Promise<string>
  readonly request: (n: string, prepared: string) => { readonly path: string; readonly body: object }
  /** number of additional keys in the cloud after it */
  readonly makes: number
  /** number of additional records; default: as many as keys */
  readonly records?: number
  readonly check: (key: any, n: string, prepared: string) => Promise<void> | void
}

const upload: Interrupted = {
  request: (n) => ({
    path: UPLOAD,
    body: { kms: 'main', region: REGION, source_key_identifier: 'source', cloud_a_param: { Alias: `up-${n}` } },
  }),
  makes: 1,
  check: (key, n) =>
    expect(key).toMatchObject({
      local_key_name: 'source',
      cloud_a_param: { Alias: [`up-${n}`], Origin: 'EXTERNAL', KeyState: 'Enabled' },
    }),
}

const create: Interrupted = {
  request: (n) => ({ path: KEYS, body: { kms: 'main', region: REGION, cloud_a_param: { Alias: `new-${n}` } } }),
  makes: 1,
  check: (key, n) => expect(key).toMatchObject({ cloud_a_param: { Alias: [`new-${n}`], Origin: 'CLOUD_A_KMS' } }),
}

const rotate: Interrupted = {
  prepare: async (n) =>
    (await ok('POST', KEYS, { kms: 'main', region: REGION, cloud_a_param: { Alias: `turn-${n}` } })).id,
  request: (_n, id) => ({ path: `${KEYS}/${id}/rotate`, body: { retain_alias: true, disable_encrypt: true } }),
  makes: 1,
  check: async (key, n, id) => {
    expect(key).toMatchObject({ rotated_from: id, rotation_status: 'ACTIVE', cloud_a_param: { Alias: [`turn-${n}`] } })
    const old = await ok('GET', `${KEYS}/${id}`)
    expect(old).toMatchObject({ rotated_to: key.id, rotation_status: 'ROTATED' })
    expect(old.cloud_a_param.Alias).toEqual([expect.stringMatching(`^turn-${n}-\\d{8}-\\d{6}$`)])
    expect(JSON.stringify(old.cloud_a_param.Policy)).toContain('keymgrDenyEncryption')
    const locals = await ok('GET', `/v1/vault/keys2?name=${key.local_key_name}`)
    expect(locals.total).toBe(1)
  },
}

const schedule: Interrupted = {
  prepare: async () => (await ok('POST', KEYS, { kms: 'main', region: REGION })).id,
  request: (_n, id) => ({ path: `${KEYS}/${id}/schedule-deletion`, body: { days: 7 } }),
  makes: -1,
  check: (key) => expect(key).toMatchObject({ cloud_a_param: { KeyState: 'PendingDeletion' } }),
}

const importMaterial: Interrupted = {
  prepare: async () =>
    (await ok('POST', KEYS, { kms: 'main', region: REGION, cloud_a_param: { Origin: 'EXTERNAL' } })).id,
  request: (_n, id) => ({ path: `${KEYS}/${id}/import-material`, body: { source_key_identifier: 'source' } }),
  makes: 0,
  check: (key) =>
    expect(key).toMatchObject({ local_key_name: 'source', cloud_a_param: { KeyState: 'Enabled', Origin: 'EXTERNAL' } }),
}

const hosted = (n: string, linked_state: boolean) => ({
  local_hosted_params: { custom_key_store_id: store, source_key_id: `hosted-${n}`, linked_state },
})
const sourceKey = (n: string): Promise<any> =>
  ok('POST', '/v1/vault/keys2', { name: `hosted-${n}`, size: 256, unexportable: true, undeletable: true })
const expectLinked = (key: any, n: string): void =>
  expect(key).toMatchObject({
    local_key_name: `hosted-${n}`,
    local_hosted_params: { linked_state: true, custom_key_store_id: store },
    cloud_a_param: { Alias: [`host-${n}`], KeyState: 'Enabled', XksKeyConfiguration: { Id: key.id } },
  })

const hostKey: Interrupted = {
  prepare: async (n) => (await sourceKey(n)).id,
  request: (n) => ({ path: HOSTED, body: { ...hosted(n, true), cloud_a_param: { Alias: `host-${n}` } } }),
  makes: 1,
  check: expectLinked,
}

const linkKey: Interrupted = {
  prepare: async (n) => {
    await sourceKey(n)
    return (await ok('POST', HOSTED, hosted(n, false))).id
  },
  request: (n, id) => ({ path: `${KEYS}/${id}/link`, body: { cloud_a_param: { Alias: `host-${n}` } } }),
  makes: 1,
  records: 0,
  check: (key, n, id) => {
    expect(key.id).toBe(id)
    expectLinked(key, n)
  },
}

let runs = 0

/** One death, one recovery, and the resulting state. @returns whether the process died at all */
async function once(
  { prepare, request, makes, records, check }: Interrupted,
  kind: 'cloud' | 'table',
  n: number,
  way: 'asked again' | 'swept',
): Promise<boolean> {
  const name = `${++runs}`
  const prepared = (await prepare?.(name)) ?? ''
  const { path, body } = request(name, prepared)
  const [aliveBefore, oursBefore, recordedBefore] = [alive().length, ours().length, (await recorded()).length]
  const disarm = killAt(kind, n)
  const ask = () => call('POST', path, body, { 'idempotency-key': `run-${name}` })
  const first = await ask()
  const died = disarm()
  if (died) {
    expect(first.status, `death at ${kind} call ${n}`).toBeGreaterThanOrEqual(500)
    await laterOn()
    if (way === 'swept') await deployment.fire('sweep-due')
  }
  const last = died ? await ask() : first
  const told = `${way} after death at ${kind} call ${n}: ${JSON.stringify(last.body)}`
  expect([200, 201], told).toContain(last.status)
  await check(last.body, name, prepared)
  const made = Math.max(0, makes)
  expect(ours().length - oursBefore, `${told}: keys made`).toBe(made)
  expect(alive().length - aliveBefore, `${told}: keys alive`).toBe(makes)
  expect((await recorded()).length - recordedBefore, `${told}: records`).toBe(records ?? made)
  return died
}

const OPERATIONS = {
  upload,
  create,
  rotate,
  'schedule a deletion': schedule,
  'import material': importMaterial,
  'host a key': hostKey,
  'link a hosted key': linkKey,
}

describe.each(Object.entries(OPERATIONS))('%s', (_name, operation) => {
  test.each(['cloud', 'table'] as const)(
    'a death at any call to the %s leaves one key in the end',
    async (kind) => {
      let deaths = 0
      for (let n = 1; await once(operation, kind, n, n % 2 === 0 ? 'swept' : 'asked again'); n++) deaths++
      expect(deaths).toBeGreaterThan(0)
      expect(await unfinished()).toBe(0)
    },
    120_000,
  )
})
