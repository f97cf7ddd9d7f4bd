import { beforeAll, describe, expect, test } from 'vitest'
import { isObject } from '../../shared/base/json.ts'
import { PLACES, type Place } from './places-with-keys.ts'
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
    place = await (PLACES[name] as (typeof PLACES)[string])(vault(), KEYS)
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
