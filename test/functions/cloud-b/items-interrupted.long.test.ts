import { beforeAll, describe, expect, test } from 'vitest'
import { createClock } from '../../../infra/local/clock.ts'
import { PFX } from '../../infra/simulators/cloud-b/certificates/pfx-file.ts'
import { dieAt } from '../../support/deaths.ts'
import { CONFIGS, JOBS, rotation } from '../scheduler/scheduler.ts'
import { CLOUD_B, SUBSCRIPTION, VAULT } from './cloud-b.ts'
import { useDeaths, type DiesAt } from './deaths.ts'
import { keyBody, KEYS } from './keys.ts'
import { atCloud } from './other-people.ts'

/**
 * Like the tests of interrupted work on keys, for secrets, certificates and scheduled rotations: the process dies at
 * each of its calls in turn, and the outcome is one more version, or one deletion, as if nothing had happened.
 */
const clock = createClock()
const tests = useDeaths({
  clock,
  // A pause of a flow advances the clock.
  flowPauseMs: (seconds) => {
    clock.advance(seconds * 1_000)
    return 1
  },
})

beforeAll(async () => {
  const vaults = { connection: 'main', subscription_id: SUBSCRIPTION, vaults: [{ name: VAULT }] }
  await ok('POST', `${CLOUD_B}/add-vaults`, vaults)
})

const ok = (method: string, path: string, body?: unknown): Promise<any> => tests().admin.ok(method, path, body)
const there = (path: string): Promise<any> => atCloud(tests().deployment.cloudB, VAULT, 'GET', path)

const policy = { issuer: { name: 'Self' }, key_props: { kty: 'EC' }, x509_props: { subject: 'CN=shop.example' } }
const KINDS = {
  secret: { named: 'secret_name', param: { value: 'the value' } },
  certificate: { named: 'cert_name', param: { policy } },
} as const
type Kind = keyof typeof KINDS

const at = (kind: Kind): string => `${CLOUD_B}/${kind}s`
const bodyOf = (kind: Kind, name: string): object => {
  const { named, param } = KINDS[kind]
  return { [named]: name, key_vault: VAULT, cloud_b_param: param }
}
const made = async (kind: Kind, name: string): Promise<string> => {
  const { id } = await ok('POST', at(kind), bodyOf(kind, name))
  clock.advance(1_000) // versions of the same second have no order
  return id
}
const madeTwice = async (kind: Kind, name: string): Promise<string> => {
  await made(kind, name)
  return made(kind, name)
}
const deleted = async (kind: Kind, name: string): Promise<string> => {
  const id = await madeTwice(kind, name)
  await ok('POST', `${at(kind)}/${id}/soft-delete`)
  return id
}

/** An interrupted request, and the expected state of the item after it. */
interface Interrupted {
  readonly prepare?: (kind: Kind, name: string) => Promise<string>
  readonly request: (kind: Kind, name: string, id: string) => { method?: string; path: string; body?: object }
  readonly versions: number
  /** of every version */
  readonly status?: 'SOFT-DELETED' | 'DELETED'
}

const act = (action: string) => (kind: Kind, _name: string, id: string) => ({ path: `${at(kind)}/${id}/${action}` })
const create: Interrupted['request'] = (kind, name) => ({ path: at(kind), body: bodyOf(kind, name) })
const OPERATIONS = {
  creation: { request: create, versions: 1 },
  'another version': { prepare: made, request: create, versions: 2 },
  import: {
    request: (_kind, cert_name) => ({
      path: `${CLOUD_B}/certificates/import`,
      body: { cert_name, key_vault: VAULT, pfx: PFX.base64, password: PFX.password },
    }),
    versions: 1,
  },
  change: {
    prepare: made,
    request: (kind, _name, id) => ({ method: 'PATCH', path: `${at(kind)}/${id}`, body: { tags: { a: 'b' } } }),
    versions: 1,
  },
  deletion: { prepare: madeTwice, request: act('soft-delete'), versions: 2, status: 'SOFT-DELETED' },
  recovery: { prepare: deleted, request: act('recover'), versions: 2 },
  purge: { prepare: deleted, request: act('hard-delete'), versions: 2, status: 'DELETED' },
} satisfies Record<string, Interrupted>

let runs = 0

/** Versions of a name in the cloud; for a deleted name it reports none. */
async function versionsThere(kind: Kind, name: string, { status }: Interrupted): Promise<number> {
  if (status === undefined) return (await there(`/${kind}s/${name}/versions`)).value.length
  const { value } = await there(`/deleted${kind}s`)
  return value.filter(({ id }: any) => id.endsWith(`/${name}`)).length
}

/** One death, one recovery, and the resulting state. @returns whether the process died at all */
async function once(kind: Kind, of: keyof typeof OPERATIONS, dies: DiesAt, n: number): Promise<boolean> {
  const operation: Interrupted = OPERATIONS[of]
  const name = `run-${++runs}`
  const prepared = (await operation.prepare?.(kind, name)) ?? ''
  const { method = 'POST', path, body } = operation.request(kind, name, prepared)
  // only the request has a value and a PFX
  const isCarried = of === 'import' || (operation.request === create && kind === 'secret')
  const ask = () => tests().admin.call(method, path, body, { 'idempotency-key': name })
  const { died, last, told } = await tests().interrupted(ask, { at: dies, n, isCarried })
  expect([200, 201], told).toContain(last.status)
  const { versions, status = 'ACTIVE' } = operation
  const count = { ACTIVE: versions, 'SOFT-DELETED': 1, DELETED: 0 }[status]
  expect(await versionsThere(kind, name, operation), told).toBe(count)
  const { total, resources } = await ok('GET', `${at(kind)}?${KINDS[kind].named}=${name}&sort=createdAt`)
  expect(total, told).toBe(versions)
  for (const one of resources) expect(one, told).toMatchObject({ status })
  const latest = resources.map(({ is_latest }: any) => is_latest)
  expect(latest, told).toEqual([...Array<boolean>(versions - 1).fill(false), true])
  return died
}

/** Both kinds have the same operations, except for their creation. */
const CASES: readonly (readonly [Kind, keyof typeof OPERATIONS, DiesAt])[] = [
  ['secret', 'creation', 'cloud-b'],
  ['secret', 'another version', 'table'],
  ['secret', 'change', 'cloud-b'],
  ['secret', 'deletion', 'cloud-b'],
  ['secret', 'recovery', 'table'],
  ['secret', 'purge', 'table'],
  ['certificate', 'creation', 'table'],
  ['certificate', 'another version', 'cloud-b'],
  ['certificate', 'import', 'cloud-b'],
  ['certificate', 'import', 'table'],
  ['certificate', 'change', 'table'],
  ['certificate', 'deletion', 'table'],
  ['certificate', 'recovery', 'table'],
  ['certificate', 'purge', 'table'],
]

test.each(CASES)('a %s: its %s that dies at any call to %s is done once in the end', (kind, of, dies) =>
  tests().atEvery((n) => once(kind, of, dies, n)),
)

describe('a scheduled rotation', () => {
  /** The ended run; the sweeper runs every half hour. */
  async function over(id: string): Promise<any> {
    for (let round = 0; round < 6; round++) {
      await tests().deployment.flows.idle()
      const job = await ok('GET', `${JOBS}/${id}`)
      if (job.completed_at !== undefined) return job
      clock.advance(31 * 60_000)
      await tests().deployment.fire('sweep-due')
    }
    throw new Error('The run does not end')
  }

  /** One run on one key during which the process dies. @returns whether it did */
  async function rotated(source: 'native' | 'local', dies: DiesAt, n: number): Promise<boolean> {
    const { deployment, proxy } = tests()
    const name = `${source}-${dies}-${n}`
    const config = await ok('POST', CONFIGS, rotation(name, { cloud_name: 'cloud-b' }))
    const key = await ok('POST', KEYS, keyBody(name))
    const how = { job_config_id: config.id, auto_rotate_key_source: source }
    await ok('POST', `${KEYS}/${key.id}/enable-rotation-job`, how)
    clock.advance(1_000)
    const { job_id } = await ok('POST', `${CONFIGS}/${config.id}/run-now`)
    const disarm = dieAt(deployment, proxy, { of: 'triggers', at: dies, n })
    const job = await over(job_id as string)
    const died = disarm()
    const told = `death at ${dies} call ${n}: ${JSON.stringify(job)}`
    expect(job, told).toMatchObject({ status: 'completed', total_count: 1, success_count: 1, error_count: 0 })
    const { resources } = await ok('GET', `${KEYS}?key_name=${name}&sort=createdAt`)
    expect(resources, told).toMatchObject([
      { id: key.id, is_latest: false, status: 'ACTIVE' },
      { is_latest: true, key_material_origin: source === 'native' ? 'native' : 'keymgr', labels: how },
    ])
    const versions = deployment.cloudB.keyOf(VAULT, name)?.versions.map(({ id }) => id)
    expect(
      resources.map(({ version }: any) => version),
      told,
    ).toEqual(versions)
    const locals = await tests().admin.list(`?name=cloud-b-${resources[1].id}`) // created once
    expect(locals.total, told).toBe(source === 'native' ? 0 : 1)
    return died
  }

  test.each([
    ['native', 'cloud-b'],
    ['local', 'cloud-b'],
    ['local', 'table'],
  ] as const)('whose new version is %s goes on when its process dies at any call to %s', (source, dies) =>
    tests().atEvery((n) => rotated(source, dies, n)),
  )
})
