import { beforeAll, describe, expect, test } from 'vitest'
import { isObject } from '../../shared/base/json.ts'
import { CLOUD_A, REGION as CLOUD_A_REGION } from './cloud-a/cloud-a.ts'
import {
  CLOUD_B,
  connectionBody as cloudBBody,
  CONNECTIONS as CLOUD_B_CONNECTIONS,
  SUBSCRIPTION,
  VAULT,
} from './cloud-b/cloud-b.ts'
import {
  CLOUD_C,
  connectionBody as cloudCBody,
  CONNECTIONS as CLOUD_C_CONNECTIONS,
  PROJECT,
  RING,
} from './cloud-c/cloud-c.ts'
import {
  CLOUD_D,
  connectionBody as cloudDBody,
  CONNECTIONS as CLOUD_D_CONNECTIONS,
  REGION,
  vaultId,
} from './cloud-d/cloud-d.ts'
import { connectionBody as crmBody, CONNECTIONS as CRM_CONNECTIONS, CRM, KEY_JOBS, SHOP } from './crm/crm.ts'
import { CONNECTIONS as DATACUST_CONNECTIONS, DATACUST, groupNamed, mainBody } from './datacust/datacust.ts'
import { useVault } from './vault/vault.ts'

const vault = useVault({ flowPauseMs: () => 1 })
const KEYS = 40

/** One absurd value for each fault of form. */
const VALUES: Readonly<Record<string, unknown>> = {
  missing: undefined,
  null: null,
  'very long': 'x'.repeat(200_000),
  'odd Unicode': '\u0000\ud800\u202e',
  huge: 1e300,
  negative: -1,
  'a flag': true,
  'a list': [{}],
  'an object': { a: { b: 1 } },
}

type Json = Readonly<Record<string, unknown>>
type Path = readonly string[]
const DEPTH = 3

/** Every member of an object, and of the objects in it. */
const pathsIn = (value: Json, depth = DEPTH): Path[] =>
  Object.entries(value).flatMap(([name, member]) => [
    [name],
    ...(isObject(member) && depth > 1 ? pathsIn(member, depth - 1).map((path) => [name, ...path]) : []),
  ])

function withValue(of: Json, [name = '', ...rest]: Path, value: unknown): Json {
  const member = of[name]
  return { ...of, [name]: rest.length > 0 && isObject(member) ? withValue(member, rest, value) : value }
}

const isList = (value: unknown): value is Json[] => Array.isArray(value) && value.some((one) => isObject(one))
const isLogIn = (body: Json): boolean => Object.keys(body).some((name) => /token|credential|secret/i.test(name))

/** Puts a value into one field of each member: the first field of the first one, and so on. The others stay. */
class Absurd {
  readonly #value: unknown
  readonly #answers = new Map<string, number>()
  planted = 0

  constructor(value: unknown) {
    this.#value = value
  }

  readonly answer = (body: unknown): unknown => {
    if (isList(body)) return this.#members(body)
    if (!isObject(body) || isLogIn(body)) return body
    const [list] = Object.entries(body).filter(([, member]) => isList(member))
    if (list !== undefined) return { ...body, [list[0]]: this.#members(list[1] as Json[]) }
    const kind = Object.keys(body).sort().join()
    const nth = this.#answers.get(kind) ?? 0
    this.#answers.set(kind, nth + 1)
    return this.#planted(body, nth)
  }

  #members(members: readonly Json[]): Json[] {
    return members.map((member, at) => (isObject(member) ? this.#planted(member, at) : member))
  }

  #planted(member: Json, nth: number): Json {
    const path = pathsIn(member)[nth]
    if (path === undefined) return member
    this.planted++
    return withValue(member, path, this.#value)
  }
}

/** A container of a cloud with many keys. */
interface Place {
  readonly jobs: string
  readonly body: object
  readonly keys: string
  readonly inject: (answer: (body: unknown) => unknown) => () => void
}

const wrong = (answer: (body: unknown) => unknown) => ({ fault: 'wrong-answer', answer }) as const
/** Answers about keys: without its container a cloud reads no key. */
const ofKeys = { when: ({ operation }: { readonly operation: string }) => /Key|Version/.test(operation) }

const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  'cloud-a': async () => {
    const { admin, service } = vault()
    const cloud = service.deployment.cloudA
    const [account] = cloud.accounts
    if (account === undefined) throw new Error('The cloud has no account')
    const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = account.credentials
    const own = { name: 'a', access_key_id, secret_access_key }
    await admin.ok('POST', '/v1/connectionmgmt/services/cloud-a/connections', own)
    const kms = { name: 'a', account_id: account.id, connection: 'a', regions: [CLOUD_A_REGION] }
    await admin.ok('POST', `${CLOUD_A}/kms`, kms)
    cloud.seed({ account: account.id, region: CLOUD_A_REGION, count: KEYS })
    const inject = (answer: (body: unknown) => unknown) => cloud.inject(wrong(answer))
    return { jobs: `${CLOUD_A}/synchronization-jobs`, body: { kms: ['a'] }, keys: `${CLOUD_A}/keys`, inject }
  },
  'cloud-b': async () => {
    const { admin, service } = vault()
    const cloud = service.deployment.cloudB
    await admin.ok('POST', CLOUD_B_CONNECTIONS, cloudBBody(cloud, 'b'))
    const added = { connection: 'b', subscription_id: SUBSCRIPTION, vaults: [{ name: VAULT }] }
    await admin.ok('POST', `${CLOUD_B}/add-vaults`, added)
    await cloud.seedKeys(VAULT, KEYS)
    const inject = (answer: (body: unknown) => unknown) => cloud.inject(wrong(answer))
    return { jobs: `${CLOUD_B}/synchronization-jobs`, body: { key_vaults: [VAULT] }, keys: `${CLOUD_B}/keys`, inject }
  },
  'cloud-c': async () => {
    const { admin, service } = vault()
    const cloud = service.deployment.cloudC
    await admin.ok('POST', CLOUD_C_CONNECTIONS, cloudCBody(cloud, 'c'))
    const added = { connection: 'c', project_id: PROJECT, key_rings: [{ name: RING }] }
    await admin.ok('POST', `${CLOUD_C}/add-key-rings`, added)
    cloud.seed(RING, KEYS)
    const inject = (answer: (body: unknown) => unknown) => cloud.inject(wrong(answer))
    return { jobs: `${CLOUD_C}/synchronization-jobs`, body: { key_rings: [RING] }, keys: `${CLOUD_C}/keys`, inject }
  },
  'cloud-d': async () => {
    const { admin, service } = vault()
    const cloud = service.deployment.cloudD
    await admin.ok('POST', CLOUD_D_CONNECTIONS, cloudDBody(cloud, 'd'))
    const id = vaultId(cloud, 'orders')
    const { vaults } = await admin.ok('POST', `${CLOUD_D}/add-vaults`, {
      ...{ connection: 'd', region: REGION, vault_id: [id] },
    })
    cloud.seed(id, KEYS)
    const body = { cloud_d_vaults: [vaults[0].id] }
    const inject = (answer: (body: unknown) => unknown) => cloud.inject({ ...wrong(answer), ...ofKeys })
    return { jobs: `${CLOUD_D}/synchronization-jobs`, body, keys: `${CLOUD_D}/keys`, inject }
  },
  crm: async () => {
    const { admin, service } = vault()
    const { crm: cloud } = service.deployment
    cloud.setIntervals('off')
    await admin.ok('POST', CRM_CONNECTIONS, crmBody(cloud, 'crm'))
    const organization = await admin.ok('POST', `${CRM}/add-organizations`, { connection: 'crm' })
    cloud.seed(SHOP, KEYS)
    const inject = (answer: (body: unknown) => unknown) => cloud.inject(wrong(answer))
    return { jobs: KEY_JOBS, body: { organizations: [organization.id] }, keys: `${CRM}/keys`, inject }
  },
  datacust: async () => {
    const { admin, service } = vault()
    const { datacust: cloud } = service.deployment
    await admin.ok('POST', DATACUST_CONNECTIONS, { ...mainBody(cloud), name: 'datacust' })
    const { id } = groupNamed(cloud, 'finance')
    const { groups } = await admin.ok('POST', `${DATACUST}/add-groups`, { connection: 'datacust', group_id: [id] })
    cloud.seed(id, KEYS)
    const body = { groups: [groups[0].id] }
    const inject = (answer: (body: unknown) => unknown) => cloud.inject({ ...wrong(answer), ...ofKeys })
    return { jobs: `${DATACUST}/synchronization-jobs`, body, keys: `${DATACUST}/keys`, inject }
  },
}

describe.each(Object.keys(PLACES))('absurd values in the answers of %s', (name) => {
  let place: Place
  let before: ReadonlyMap<string, unknown>

  const keysNow = async (): Promise<any[]> =>
    (await vault().admin.ok('GET', `${place.keys}?limit=-1`)).resources as any[]
  async function synchronized(): Promise<any> {
    const { id } = await vault().admin.ok('POST', place.jobs, place.body)
    await vault().service.deployment.flows.idle()
    return vault().admin.ok('GET', `${place.jobs}/${id as string}`)
  }
  const TIMES = ['updatedAt', 'createdAt', 'synced_at', 'syncedAt', 'refreshed_at']
  const factsOf = (key: any): unknown =>
    Object.fromEntries(Object.entries(key as object).filter(([field]) => !TIMES.includes(field)))

  beforeAll(async () => {
    place = await (PLACES[name] as () => Promise<Place>)()
    expect(await synchronized()).toMatchObject({ overall_status: 'completed', unread: 0 })
    before = new Map((await keysNow()).map((key) => [key.id as string, factsOf(key)]))
    expect(before.size).toBeGreaterThanOrEqual(KEYS)
  })

  test.each(Object.keys(VALUES))('%s: the synchronization ends, and every key is still listed', async (kind) => {
    const absurd = new Absurd(VALUES[kind])
    const restore = place.inject(absurd.answer)
    const job = await synchronized()
    restore()
    expect(absurd.planted).toBeGreaterThan(0)
    expect(['completed', 'failed'], JSON.stringify(job)).toContain(job.overall_status)
    expect(JSON.stringify(job).length).toBeLessThan(50_000)
    const ids = new Set((await keysNow()).map(({ id }) => id as string))
    for (const id of before.keys()) expect(ids).toContain(id)
  })

  test('the next synchronization makes every key right again', async () => {
    expect(await synchronized()).toMatchObject({ overall_status: 'completed', unread: 0 })
    const after = new Map((await keysNow()).map((key) => [key.id as string, factsOf(key)]))
    for (const [id, facts] of before) expect(after.get(id)).toEqual(facts)
  })
})
