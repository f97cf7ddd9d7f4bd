import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import type * as z from 'zod'
import { jsonOf } from '../../shared/base/json.ts'
import type { Entity } from '../../shared/store/entity.ts'
import { Changes } from '../../shared/store/changes.ts'
import { itemKey } from '../../shared/store/layout.ts'
import { getItem, text } from '../../shared/store/table.ts'
import { allEntities } from '../support/all-entities.ts'
import { pointProcessAt } from '../support/own-process.ts'
import { PLACES, type Place } from './places-with-keys.ts'
import { DAY, useVault } from './vault/vault.ts'

const vault = useVault({ flowPauseMs: () => 1 })

type Json = Readonly<Record<string, unknown>>

/** The first of these values that breaks the schema is stored in a field. */
const ABSURD: readonly unknown[] = [{ absurd: true }, [[]], 5]

/** One damage of a record: a field that has an absurd value, or is missing. */
interface Damage {
  readonly what: string
  readonly of: (item: Json) => Json
}

/** Every field of the schema, also those that the records lack: with an absurd value and, where it is required, missing. */
function damagesOf(schema: z.ZodType, item: Json): Damage[] {
  const isBroken = (value: Json): boolean => !schema.safeParse(value).success
  return Object.keys((schema as z.ZodObject).shape).flatMap((field) => {
    const absurd = ABSURD.find((value) => isBroken({ ...item, [field]: value }))
    const without = ({ [field]: _, ...others }: Json): Json => others
    return [
      ...(absurd === undefined ? [] : [{ what: field, of: (one: Json) => ({ ...one, [field]: absurd }) }]),
      ...(isBroken(without(item)) ? [{ what: `no ${field}`, of: without }] : []),
    ]
  })
}

const TIMES = ['updatedAt', 'synced_at', 'syncedAt', 'refreshed_at']
const factsOf = (item: Json): Json =>
  Object.fromEntries(Object.entries(item).filter(([field]) => !TIMES.includes(field)))

describe.each(Object.keys(PLACES))('damaged records of keys of %s', (name) => {
  const KEYS = 65
  let place: Place
  let entity: Entity<unknown, unknown>

  const keyOf = (id: string) => itemKey(vault().service.domain.id, place.entity, id)
  const itemOf = async (id: string): Promise<Json> => jsonOf(text((await getItem(keyOf(id))) ?? {}, 'data')) as Json
  async function store(id: string, item: Json): Promise<void> {
    const changes = new Changes()
    const [names, values] = [{ '#data': 'data' }, { ':data': { S: JSON.stringify(item) } }]
    const write = { update: keyOf(id), expression: 'SET #data = :data', names, values }
    changes.plan(write, () => new Error('unconditional'))
    await changes.commit(new Date())
  }
  const idsNow = async (): Promise<string[]> =>
    (await vault().admin.ok('GET', `${place.keys}?limit=-1`)).resources.map(({ id }: any) => id)
  async function synchronized(): Promise<any> {
    const { id } = await vault().admin.ok('POST', place.jobs, place.body)
    await vault().service.deployment.flows.idle()
    return vault().admin.ok('GET', `${place.jobs}/${id as string}`)
  }

  /** By id of a record: its damage, and the record as it was. */
  const planted = new Map<string, { readonly what: string; readonly was: Json }>()
  let ids: readonly string[]

  beforeAll(async () => {
    pointProcessAt(vault().service.deployment.environmentOf('triggers'))
    place = await (PLACES[name] as (typeof PLACES)[string])(vault(), KEYS)
    entity = (await allEntities()).get(place.entity) as typeof entity
    expect(await synchronized()).toMatchObject({ overall_status: 'completed', unread: 0 })
    expect(await synchronized()).toMatchObject({ overall_status: 'completed', unread: 0 })
    ids = await idsNow()
    const damages = damagesOf(entity.schema, await itemOf(ids[0] ?? ''))
    expect(damages.length).toBeGreaterThan(20)
    expect(damages.length).toBeLessThan(ids.length)
    for (const [at, { what, of }] of damages.entries()) {
      const id = ids[at] ?? ''
      const was = await itemOf(id)
      planted.set(id, { what, was })
      await store(id, of(was))
    }
    vault().advance(DAY)
  })

  /** Ids of the planted records that are still damaged, and the mended ones that are not as they were. */
  async function outcome() {
    const left: string[] = []
    const wrong: unknown[] = []
    for (const [id, { what, was }] of planted) {
      const item = await itemOf(id)
      if (!entity.schema.safeParse(item).success) left.push(id)
      else if (!isDeepStrictEqual(factsOf(item), factsOf(was))) wrong.push({ what, was, item })
    }
    return { left, wrong }
  }

  test('each is mended, or counted and named by every job; no field is lost', async () => {
    const first = await synchronized()
    const { left, wrong } = await outcome()
    expect(wrong).toEqual([])
    const kept = left.map((id) => planted.get(id)?.what)
    for (const what of ['id', 'gone', 'updatedAt', 'unread']) {
      expect(kept).not.toContain(what)
      expect(kept).not.toContain(`no ${what}`)
    }
    for (const job of [first, await synchronized()]) {
      expect(job).toMatchObject({ overall_status: 'completed', added: 0, gone: 0, unread: left.length })
      expect(job.errors).toHaveLength(Math.min(left.length, 20))
      for (const error of job.errors) {
        const id = left.find((one) => (error as string).includes(`its record ${one} is damaged in `)) ?? ''
        expect(error).toContain(planted.get(id)?.what.replace('no ', ''))
      }
    }
    expect(await outcome()).toEqual({ left, wrong })
    expect(await idsNow()).toEqual(expect.arrayContaining([...ids]))
  })
})
