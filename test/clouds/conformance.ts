import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Aliasing, Cloud, MaterialImport, RemoteKey, Tagging } from '../../shared/clouds/cloud.ts'
import type { KeyMaterial } from '../../shared/crypto/key-material.ts'
import { Refusal } from '../../shared/errors.ts'
import { found, type Marker } from '../support/markers.ts'
import { Book, Stopped, type Stop } from './memory-journal.ts'

/** What a key can be found in. Clouds have more states; these are what the verbs move between. */
type KeyState = 'enabled' | 'disabled' | 'awaiting deletion' | 'without material'

/** A cloud under test, with a place in it that works and eyes of the test's own on what is there. */
export interface Fixture<Connection, Place, Spec, Key extends RemoteKey<object>, Import> {
  readonly cloud: Cloud<Connection, Place, Spec, Key> &
    Partial<Tagging<Place> & Aliasing<Place> & MaterialImport<Place, Import>>
  readonly connection: () => Connection
  /** The same one with credentials that are not accepted. */
  readonly wrongConnection: () => Connection
  /** @param budget 20 seconds when none is given */
  readonly place: (budget?: AbortSignal) => Place
  /** A symmetric key that encrypts; `alias` where the cloud has aliases. */
  readonly spec: (alias?: string) => Spec
  /** Fits `spec`. New bytes each time. */
  readonly material: () => KeyMaterial
  /** A kind of key that `material` does not fit. */
  readonly otherSpec: () => Spec
  readonly importing: () => Import
  readonly state: (key: Key) => KeyState | undefined
  readonly tags: (key: Key) => Readonly<Record<string, string>>
  /** What no error may show. */
  readonly secrets: () => readonly Marker[]
  /** Seen and used without the adapter. */
  readonly there: {
    readonly refs: () => readonly string[]
    /** What is marked with the id of a piece of work. */
    readonly marked: (id: string) => readonly string[]
    readonly encrypt: (ref: string, plaintext: Buffer) => Promise<Buffer>
    readonly decrypt: (ref: string, ciphertext: Buffer) => Promise<Buffer>
    readonly bytes: (ref: string) => Promise<Buffer | undefined>
  }
}

/** What the work is refused with, an error that shows none of the secrets; fails when it is not refused. */
export async function refusalOf(work: Promise<unknown>, secrets: readonly Marker[] = []): Promise<Refusal> {
  const error: unknown = await work.then(
    () => 'no error',
    (reason: unknown) => reason,
  )
  if (!(error instanceof Refusal)) throw new Error('It was not refused.', { cause: error })
  const shown = [error.message, String(error.cause), JSON.stringify([error, error.cause])].join('\n')
  expect(found(secrets, [{ name: 'the error', content: Buffer.from(shown) }])).toEqual([])
  return error
}

const clear = ({ bytes }: KeyMaterial): Buffer => bytes.use((own) => Buffer.from(own))
const materialMarker = (material: KeyMaterial): Marker => ({ what: 'the material', bytes: clear(material) })

/** What may be repeated is done twice. */
export async function twice(work: () => Promise<unknown>): Promise<void> {
  await work()
  await work()
}

async function isStopped(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return false
  } catch (error) {
    if (error instanceof Stopped) return true
    throw error
  }
}

/** Lives through a story that is stopped at its first step, then one stopped at its second, until none is left to stop at. */
async function stoppedAtEachStep(noted: boolean, story: (stop: Stop) => Promise<boolean>): Promise<void> {
  let step = 1
  while (await story({ step, noted })) step++
  expect(step).toBeGreaterThan(1)
}

/**
 * What `shared/clouds/cloud.ts` promises, held against one cloud: every verb, every capability it has, and what making a
 * key leaves behind when it is interrupted.
 */
export function conforms<Connection, Place, Spec, Key extends RemoteKey<object>, Import>(
  name: string,
  fixture: Fixture<Connection, Place, Spec, Key, Import>,
): void {
  const { cloud, connection, wrongConnection, place, spec, material, otherSpec } = fixture
  const { importing, state, tags, secrets, there } = fixture

  const create = (alias?: string) => cloud.create(place(), spec(alias), new Book().open())
  const upload = (ours: KeyMaterial) => cloud.upload(place(), spec(), ours, new Book().open())
  const reasonOf = async (work: Promise<unknown>) => (await refusalOf(work, secrets())).reason
  const now = async (ref: string): Promise<Key> => {
    const key = await cloud.read(place(), ref)
    if (key === undefined) throw new Error(`${name} does not have ${ref}.`)
    return key
  }
  const listed = async (): Promise<string[]> => {
    const all: string[] = []
    let cursor: string | undefined
    do {
      const page = await cloud.refs(place(), cursor)
      all.push(...page.refs)
      cursor = page.next
    } while (cursor !== undefined)
    return all
  }

  describe(`${name}, as every cloud:`, () => {
    test('a connection is proved, and one that is not accepted is refused without its secrets', async () => {
      const budget = AbortSignal.timeout(20_000)
      await expect(cloud.test(connection(), budget)).resolves.toBeUndefined()
      expect(await reasonOf(cloud.test(wrongConnection(), budget))).toBe('CLOUD_DENIED')
    })

    test('a created key is enabled, listed, and read the same by every way of reading', async () => {
      const made = await create()
      expect(state(made)).toBe('enabled')
      expect((await listed()).toSorted()).toEqual(there.refs().toSorted())
      const survey = await cloud.survey(place())
      const ways = [made, await now(made.ref), await survey.read(made.ref), await now(made.ref)]
      expect([...new Set(ways.map((way) => JSON.stringify(way)))]).toEqual([JSON.stringify(made)])
    })

    test('a key that is not there reads as nothing, and cannot be changed', async () => {
      const ref = randomUUID()
      expect(await cloud.read(place(), ref)).toBeUndefined()
      expect(await (await cloud.survey(place())).read(ref)).toBeUndefined()
      expect(await reasonOf(cloud.disable(place(), ref))).toBe('CLOUD_NOT_FOUND')
      expect(await reasonOf(cloud.retire(place(), ref))).toBe('CLOUD_NOT_FOUND')
    })

    test('uploaded material arrives byte by byte and is put to use', async () => {
      const ours = material()
      const made = await upload(ours)
      expect(state(made)).toBe('enabled')
      expect(await there.bytes(made.ref)).toEqual(clear(ours))
      const sealed = await there.encrypt(made.ref, Buffer.from('used'))
      expect(await there.decrypt(made.ref, sealed)).toEqual(Buffer.from('used'))
    })

    test('material of another kind is refused before anything is made', async () => {
      const before = there.refs()
      const ours = material()
      const uploading = cloud.upload(place(), otherSpec(), ours, new Book().open())
      expect((await refusalOf(uploading, [materialMarker(ours)])).reason).toBe('RULE_BROKEN')
      expect(there.refs()).toEqual(before)
    })

    test.each([{ noted: false }, { noted: true }])(
      'creating a key goes on after a stop at any step, and makes no second one (its result noted: $noted)',
      ({ noted }) =>
        stoppedAtEachStep(noted, async (stop) => {
          const alias = `made-${randomUUID()}`
          const book = new Book(there.refs())
          const stopped = await isStopped(cloud.create(place(), spec(alias), book.open(stop)))
          const made = await cloud.create(place(), spec(alias), book.open())
          expect(state(made)).toBe('enabled')
          expect(there.marked(book.id)).toEqual([made.ref])
          return stopped
        }),
    )

    test.each([{ noted: false }, { noted: true }])(
      'an upload goes on after a stop at any step, and makes no second key (its result noted: $noted)',
      ({ noted }) =>
        stoppedAtEachStep(noted, async (stop) => {
          const alias = `uploaded-${randomUUID()}`
          const ours = material()
          const book = new Book(there.refs())
          const stopped = await isStopped(cloud.upload(place(), spec(alias), ours, book.open(stop)))
          const made = await cloud.upload(place(), spec(alias), ours, book.open())
          expect(state(made)).toBe('enabled')
          expect(there.marked(book.id)).toEqual([made.ref])
          expect(await there.bytes(made.ref)).toEqual(clear(ours))
          return stopped
        }),
    )

    test('a piece of work that is finished answers the same key again', async () => {
      const book = new Book()
      const first = await cloud.create(place(), spec(), book.open())
      expect(await cloud.create(place(), spec(), book.open())).toEqual(first)
      expect(there.marked(book.id)).toEqual([first.ref])
    })

    test('a retired key no longer encrypts and still decrypts; retiring it again changes nothing', async () => {
      const { ref } = await upload(material())
      const sealed = await there.encrypt(ref, Buffer.from('before'))
      await cloud.retire(place(), ref)
      await expect(there.encrypt(ref, Buffer.from('after'))).rejects.toThrow()
      expect(await there.decrypt(ref, sealed)).toEqual(Buffer.from('before'))
      const retired = JSON.stringify(await now(ref))
      await cloud.retire(place(), ref)
      expect(JSON.stringify(await now(ref))).toBe(retired)
    })

    test('enabling and disabling may be repeated', async () => {
      const { ref } = await create()
      for (const verb of ['disable', 'disable', 'enable', 'enable'] as const) {
        await cloud[verb](place(), ref)
        expect(state(await now(ref))).toBe(`${verb}d`)
      }
    })

    test('a deletion is scheduled once, goes on waiting, and may be cancelled again and again', async () => {
      const { ref } = await create()
      await cloud.scheduleDeletion(place(), ref, 7)
      const waiting = await now(ref)
      expect(state(waiting)).toBe('awaiting deletion')
      await cloud.scheduleDeletion(place(), ref, 30)
      expect(await now(ref)).toEqual(waiting)
      await twice(async () => {
        await cloud.cancelDeletion(place(), ref)
        expect(state(await now(ref))).toBe('disabled')
      })
    })

    test('when the time is up, nothing is begun', async () => {
      const before = there.refs()
      const late = place(AbortSignal.abort())
      expect(await reasonOf(cloud.refs(late, undefined))).toBe('CLOUD_TIMEOUT')
      expect(await reasonOf(cloud.create(late, spec(), new Book().open()))).toBe('CLOUD_TIMEOUT')
      expect(there.refs()).toEqual(before)
    })
  })

  const { addTags, removeTags, addAlias, moveAlias, deleteAlias, holderOf, importMaterial, deleteMaterial } = cloud

  if (addTags && removeTags)
    describe(`${name}, with tags:`, () => {
      test('tags are added, overwritten and removed', async () => {
        const { ref } = await create()
        const before = tags(await now(ref))
        const [blue, cost] = [
          { name: 'team', value: 'blue' },
          { name: 'cost', value: '7' },
        ]
        await addTags(place(), ref, [blue, cost])
        await addTags(place(), ref, [{ ...blue, value: 'red' }])
        expect(tags(await now(ref))).toEqual({ ...before, team: 'red', cost: '7' })
        await removeTags(place(), ref, ['team', 'never-there'])
        expect(tags(await now(ref))).toEqual({ ...before, cost: '7' })
      })
    })

  if (addAlias && moveAlias && deleteAlias && holderOf)
    describe(`${name}, with aliases:`, () => {
      test('an alias belongs to one key, moves, and leaves, each as often as it is said', async () => {
        const alias = `alias-${randomUUID()}`
        const [one, other] = [await create(), await create()]
        expect(await holderOf(place(), alias)).toBeUndefined()
        await twice(() => addAlias(place(), one.ref, alias))
        expect(await holderOf(place(), alias)).toBe(one.ref)
        expect(await reasonOf(addAlias(place(), other.ref, alias))).toBe('CLOUD_CONFLICT')
        await twice(() => moveAlias(place(), other.ref, alias))
        expect(await holderOf(place(), alias)).toBe(other.ref)
        await deleteAlias(place(), one.ref, alias)
        expect(await holderOf(place(), alias)).toBe(other.ref)
        await twice(() => deleteAlias(place(), other.ref, alias))
        expect(await holderOf(place(), alias)).toBeUndefined()
      })

      test('an alias that nobody has moves to a key as well, but not to a key that is not there', async () => {
        const alias = `alias-${randomUUID()}`
        const { ref } = await create()
        expect(await reasonOf(moveAlias(place(), randomUUID(), alias))).toBe('CLOUD_NOT_FOUND')
        await moveAlias(place(), ref, alias)
        expect(await holderOf(place(), alias)).toBe(ref)
      })

      test('a new key has its alias, and none is made for an alias that is taken', async () => {
        const alias = `alias-${randomUUID()}`
        expect(await holderOf(place(), alias)).toBeUndefined()
        const { ref } = await create(alias)
        expect(await holderOf(place(), alias)).toBe(ref)
        const before = there.refs()
        expect(await reasonOf(create(alias))).toBe('CLOUD_CONFLICT')
        expect(there.refs()).toEqual(before)
      })
    })

  if (importMaterial && deleteMaterial)
    describe(`${name}, with material that comes and goes:`, () => {
      test('material is taken out, and only the same can be brought back', async () => {
        const [ours, other] = [material(), material()]
        const { ref } = await upload(ours)
        const sealed = await there.encrypt(ref, Buffer.from('kept'))
        await twice(() => deleteMaterial(place(), ref, undefined))
        expect(state(await now(ref))).toBe('without material')
        const refused = importMaterial(place(), ref, other, importing())
        expect((await refusalOf(refused, [...secrets(), materialMarker(other)])).reason).toBe('CLOUD_INVALID')
        await twice(() => importMaterial(place(), ref, ours, importing()))
        expect(state(await now(ref))).toBe('enabled')
        expect(await there.decrypt(ref, sealed)).toEqual(Buffer.from('kept'))
      })
    })
}
