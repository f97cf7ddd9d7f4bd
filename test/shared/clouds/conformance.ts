import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { RemoteKey } from '../../../shared/cloud/contract.ts'
import type { KeyMaterial } from '../../../shared/crypto/key-material.ts'
import { clear, isStopped, materialMarker, refusalOf, stoppedAtEachStep, twice } from './conformance-fixture.ts'
import type { Fixture } from './conformance-fixture.ts'
import { versionsConform } from './conformance-versions.ts'
import { Book } from './memory-journal.ts'

/**
 * Tests one cloud against `shared/cloud/contract.ts`: every operation, every capability that it has, and the traces of
 * interrupted key creation.
 */
export function conforms<
  Connection,
  Place,
  Spec,
  Key extends RemoteKey<object>,
  Import,
  VersionSpec,
  Version extends RemoteKey<object>,
>(name: string, fixture: Fixture<Connection, Place, Spec, Key, Import, VersionSpec, Version>): void {
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
    test('the test of a connection succeeds, and a refused one reveals none of its secrets', async () => {
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

    test('a missing key reads as `undefined`', async () => {
      const ref = randomUUID()
      expect(await cloud.read(place(), ref)).toBeUndefined()
      expect(await (await cloud.survey(place())).read(ref)).toBeUndefined()
    })

    test('uploaded material arrives unchanged and is usable', async () => {
      const ours = material()
      const made = await upload(ours)
      expect(state(made)).toBe('enabled')
      expect(await there.bytes(made.ref)).toEqual(clear(ours))
      const sealed = await there.encrypt(made.ref, Buffer.from('used'))
      expect(await there.decrypt(made.ref, sealed)).toEqual(Buffer.from('used'))
    })

    test('material of another kind is refused before anything is created', async () => {
      const before = there.refs()
      const ours = material()
      const uploading = cloud.upload(place(), otherSpec(), ours, new Book().open())
      expect((await refusalOf(uploading, [materialMarker(ours)])).reason).toBe('RULE_BROKEN')
      expect(there.refs()).toEqual(before)
    })

    test.each([{ noted: false }, { noted: true }])(
      'creating a key continues after a stop at any step, and creates no second one (its result noted: $noted)',
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
      'an upload continues after a stop at any step, and creates no second key (its result noted: $noted)',
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

    test('finished work returns the same key again', async () => {
      const book = new Book()
      const wanted = spec()
      const first = await cloud.create(place(), wanted, book.open())
      expect(await cloud.create(place(), wanted, book.open())).toEqual(first)
      expect(there.marked(book.id)).toEqual([first.ref])
    })

    test('nothing begins after the time budget', async () => {
      const before = there.refs()
      const late = place(AbortSignal.abort())
      expect(await reasonOf(cloud.refs(late, undefined))).toBe('CLOUD_TIMEOUT')
      expect(await reasonOf(cloud.create(late, spec(), new Book().open()))).toBe('CLOUD_TIMEOUT')
      expect(there.refs()).toEqual(before)
    })
  })

  const { retire, enable, disable, scheduleDeletion, cancelDeletion } = cloud
  const { addTags, removeTags, addAlias, moveAlias, deleteAlias, holderOf, importMaterial, deleteMaterial } = cloud

  if (retire && enable && disable && scheduleDeletion && cancelDeletion)
    describe(`${name}, with keys that are switched as a whole:`, () => {
      test('a missing key cannot be changed', async () => {
        const ref = randomUUID()
        expect(await reasonOf(disable(place(), ref))).toBe('CLOUD_NOT_FOUND')
        expect(await reasonOf(retire(place(), ref))).toBe('CLOUD_NOT_FOUND')
      })

      test('a retired key no longer encrypts and still decrypts; retiring it again changes nothing', async () => {
        const { ref } = await upload(material())
        const sealed = await there.encrypt(ref, Buffer.from('before'))
        await retire(place(), ref)
        await expect(there.encrypt(ref, Buffer.from('after'))).rejects.toThrow()
        expect(await there.decrypt(ref, sealed)).toEqual(Buffer.from('before'))
        const retired = JSON.stringify(await now(ref))
        await retire(place(), ref)
        expect(JSON.stringify(await now(ref))).toBe(retired)
      })

      test('enabling and disabling may be repeated', async () => {
        const { ref } = await create()
        await twice(() => disable(place(), ref))
        expect(state(await now(ref))).toBe('disabled')
        await twice(() => enable(place(), ref))
        expect(state(await now(ref))).toBe('enabled')
      })

      test('a deletion is scheduled once, can be repeated, and cancelled repeatedly', async () => {
        const { ref } = await create()
        await scheduleDeletion(place(), ref, 7)
        const waiting = await now(ref)
        expect(state(waiting)).toBe('awaiting deletion')
        await scheduleDeletion(place(), ref, 30)
        expect(await now(ref)).toEqual(waiting)
        await twice(async () => {
          await cancelDeletion(place(), ref)
          expect(state(await now(ref))).toBe('disabled')
        })
      })
    })

  versionsConform(name, fixture)

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
      test('an alias belongs to one key, moves, and is deleted, each also under repetition', async () => {
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

      test('an unused alias moves to a key too, but not to a missing key', async () => {
        const alias = `alias-${randomUUID()}`
        const { ref } = await create()
        expect(await reasonOf(moveAlias(place(), randomUUID(), alias))).toBe('CLOUD_NOT_FOUND')
        await moveAlias(place(), ref, alias)
        expect(await holderOf(place(), alias)).toBe(ref)
      })

      test('a new key has its alias, and no key is created for an alias in use', async () => {
        const alias = `alias-${randomUUID()}`
        expect(await holderOf(place(), alias)).toBeUndefined()
        const { ref } = await create(alias)
        expect(await holderOf(place(), alias)).toBe(ref)
        const before = there.refs()
        expect(await reasonOf(create(alias))).toBe('CLOUD_CONFLICT')
        expect(there.refs()).toEqual(before)
      })
    })

  if (importMaterial && deleteMaterial && importing)
    describe(`${name}, with material that comes and goes:`, () => {
      test('material is deleted, and only the same can be imported again', async () => {
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
