import { DescribeCustomKeyStoresCommand, type CustomKeyStoresListEntry } from '@aws-sdk/client-kms'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBehindProxy, type BehindProxy } from '../../support/behind-proxy.ts'
import { dieAt } from '../../support/deaths.ts'
import { vaultOf, type Vault } from '../vault/vault.ts'
import { cloudAOf, type CloudATests } from './cloud-a.ts'
import { callSigned, ENDPOINT, external, prepareStores, SERVED, STORES, storesOf, type Pair } from './key-stores.ts'

/**
 * The function dies at each of its calls for a key store in turn: after each call to the cloud and after each write of
 * the table has taken effect, before the answer arrives. The repeated request, or the sweeper, then completes the work
 * once.
 */
let started: BehindProxy
let tests: CloudATests

beforeAll(async () => {
  started = await startBehindProxy(SERVED)
  const vault: Vault = vaultOf(started.service)
  tests = await cloudAOf(vault)
  tests.cloud.setDelays({ connection: 0 })
  await prepareStores(vault)
})
afterAll(() => started.stop())

const stores = (): ReturnType<typeof storesOf> => storesOf(tests.admin)
const inCloud = async (): Promise<CustomKeyStoresListEntry[]> =>
  (await tests.client().send(new DescribeCustomKeyStoresCommand({}))).CustomKeyStores ?? []
const namedInCloud = async (name: string): Promise<CustomKeyStoresListEntry[]> =>
  (await inCloud()).filter(({ CustomKeyStoreName }) => CustomKeyStoreName === name)
const recorded = async (name: string): Promise<any[]> => (await stores().list(`?name=${name}`)).resources

/** An interrupted request, and its expected outcome. */
interface Interrupted {
  /** @returns the id of the store in the request */
  readonly prepare?: (name: string) => Promise<string>
  readonly request: (name: string, id: string) => readonly [method: string, path: string, body?: object]
  readonly check: (name: string, answer: any) => Promise<void>
}

/** The store exists once on both sides, is linked, and accepts the newest pair that was returned. */
async function expectLinkedOnce(name: string, answer: Partial<Pair>, versions: number): Promise<void> {
  const [record, ...otherRecords] = await recorded(name)
  const [store, ...otherStores] = await namedInCloud(name)
  expect([otherRecords, otherStores]).toEqual([[], []])
  expect(record).toMatchObject({ linked_state: true, version_count: versions, credential_version: versions })
  expect(record.cloud_a_param.custom_key_store_id).toBe(store?.CustomKeyStoreId)
  if (answer.access_key_id === undefined || answer.secret_access_key === undefined) return
  expect(store?.XksProxyConfiguration?.AccessKeyId).toBe(answer.access_key_id)
  expect(await callSigned(tests, record, answer as Pair)).toEqual([200, undefined])
}

const linked = async (name: string): Promise<string> => (await stores().create(name, { linked_state: true })).id

const OPERATIONS: Readonly<Record<string, Interrupted>> = {
  create: {
    request: (name) => ['POST', STORES, external(name, { linked_state: true })],
    check: (name, answer) => expectLinkedOnce(name, answer, 1),
  },
  link: {
    prepare: async (name) => (await stores().create(name)).id,
    request: (_name, id) => ['POST', `${STORES}/${id}/link`, { cloud_a_param: { xks_proxy_uri_endpoint: ENDPOINT } }],
    check: (name, answer) => expectLinkedOnce(name, answer, 1),
  },
  update: {
    prepare: linked,
    request: (name, id) => [
      'PATCH',
      `${STORES}/${id}`,
      { name: `${name}-renamed`, local_hosted_params: { max_credentials: 5 } },
    ],
    check: async (name) => {
      expect([await namedInCloud(name), await recorded(name)]).toEqual([[], []])
      expect(await namedInCloud(`${name}-renamed`)).toHaveLength(1)
      expect(await recorded(`${name}-renamed`)).toMatchObject([
        { local_hosted_params: { max_credentials: 5 }, cloud_a_param: { custom_key_store_name: `${name}-renamed` } },
      ])
    },
  },
  'rotate a credential': {
    prepare: linked,
    request: (_name, id) => ['POST', `${STORES}/${id}/rotate-credential`],
    check: (name, answer) => expectLinkedOnce(name, answer, 2),
  },
}

let runs = 0

/** One death and one recovery. @returns whether the function died at all */
async function once(operation: Interrupted, at: 'cloud' | 'table', n: number): Promise<boolean> {
  const name = `store-${++runs}`
  const id = (await operation.prepare?.(name)) ?? ''
  const [method, path, body] = operation.request(name, id)
  const ask = () => tests.admin.call(method, path, body, { 'idempotency-key': name })
  await tests.admin.token() // a log-in writes to the table too
  const disarm = dieAt(started.service.deployment, started.proxy, { of: 'cloud-a', at, n })
  const first = await ask()
  const died = disarm()
  const told = `death at ${at} call ${n}`
  if (died) {
    expect(first.status, told).toBeGreaterThanOrEqual(500)
    tests.advance(3 * 60_000) // past the lease of the dead function
    if (n % 2 === 0) await tests.sweep()
  }
  const last = died ? await ask() : first
  expect([200, 201], `${told}: ${JSON.stringify(last.body)}`).toContain(last.status)
  await operation.check(name, last.body)
  const removed = await stores().remove(last.body.id as string) // a region allows ten
  expect(removed.status, JSON.stringify(removed.body)).toBe(200)
  return died
}

describe.each(Object.entries(OPERATIONS))('%s', (_name, operation) => {
  test.each(['cloud', 'table'] as const)('a death at any call to the %s leaves one store in the end', async (at) => {
    let deaths = 0
    for (let n = 1; await once(operation, at, n); n++) deaths++
    expect(deaths).toBeGreaterThan(0)
    tests.advance(3 * 3_600_000)
    expect(await tests.sweep()).toMatchObject({ resumed: 0 })
  })
})
