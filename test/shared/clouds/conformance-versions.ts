import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { RemoteKey } from '../../../shared/cloud/contract.ts'
import { clear, isStopped, refusalOf, stoppedAtEachStep, twice } from './conformance-fixture.ts'
import type { Fixture } from './conformance-fixture.ts'
import { Book, type Stop } from './memory-journal.ts'

/** Tests the part of the contract on versions of keys with a cloud that has them; does nothing for others. */
export function versionsConform<
  Connection,
  Place,
  Spec,
  Key extends RemoteKey<object>,
  Import,
  VersionSpec,
  Version extends RemoteKey<object>,
>(name: string, fixture: Fixture<Connection, Place, Spec, Key, Import, VersionSpec, Version>): void {
  const { cloud, place, spec, material, versionSpec, versionState, secrets, there } = fixture
  const create = () => cloud.create(place(), spec(), new Book().open())
  const reasonOf = async (work: Promise<unknown>) => (await refusalOf(work, secrets())).reason
  const { versions, version, createVersion, importVersion, enableVersion, disableVersion } = cloud
  const isVersioned = versions && version && createVersion && importVersion

  if (isVersioned && versionSpec && versionState)
    describe(`${name}, with versions:`, () => {
      const numbers = async (ref: string) => (await versions(place(), ref)).map((each) => each.ref)

      test('a new key has one version, which is read the same by every way of reading', async () => {
        const { ref } = await create()
        const [only, ...others] = await versions(place(), ref)
        expect(others).toEqual([])
        expect(only && versionState(only)).toBe('enabled')
        expect(await version(place(), ref, only?.ref ?? '')).toEqual(only)
      })

      test('a missing version reads as `undefined`, and cannot be changed', async () => {
        const { ref } = await create()
        expect(await version(place(), ref, '4711')).toBeUndefined()
        expect(await version(place(), randomUUID(), '1')).toBeUndefined()
        if (disableVersion) expect(await reasonOf(disableVersion(place(), ref, '4711'))).toBe('CLOUD_NOT_FOUND')
        expect(await reasonOf(versions(place(), randomUUID()))).toBe('CLOUD_NOT_FOUND')
      })

      test('a version with our material has exactly these bytes, and follows the others', async () => {
        const { ref } = await create()
        const ours = material()
        const made = await importVersion(place(), ref, versionSpec(), ours, new Book().open())
        expect(versionState(made)).toBe('enabled')
        expect(await there.bytes(ref, made.ref)).toEqual(clear(ours))
        expect((await numbers(ref)).at(-1)).toBe(made.ref)
      })

      test.each([{ noted: false }, { noted: true }])(
        'creating a version continues after a stop at any step, and creates no second one (its result noted: $noted)',
        async ({ noted }) => {
          const { ref } = await create()
          await stoppedAtEachStep(noted, async (stop) => {
            const before = await numbers(ref)
            const book = new Book()
            const stopped = await isStopped(createVersion(place(), ref, versionSpec(), book.open(stop)))
            const made = await createVersion(place(), ref, versionSpec(), book.open())
            expect(versionState(made)).toBe('enabled')
            expect(await numbers(ref)).toEqual([...before, made.ref])
            return stopped
          })
        },
      )

      test.each([{ noted: false }, { noted: true }])(
        'importing a version continues after a stop at any step, and imports no second one (its result noted: $noted)',
        async ({ noted }) => {
          const { ref } = await create()
          await stoppedAtEachStep(noted, async (stop) => {
            const before = await numbers(ref)
            const [book, ours] = [new Book(), material()]
            const bring = (run: Stop | undefined) =>
              importVersion(place(), ref, versionSpec(), ours, run === undefined ? book.open() : book.open(run))
            const stopped = await isStopped(bring(stop))
            const made = await bring(undefined)
            expect(await numbers(ref)).toEqual([...before, made.ref])
            expect(await there.bytes(ref, made.ref)).toEqual(clear(ours))
            return stopped
          })
        },
      )

      if (enableVersion && disableVersion)
        test('enabling and disabling a version may be repeated, and leaves the others alone', async () => {
          const { ref } = await create()
          const made = await createVersion(place(), ref, versionSpec(), new Book().open())
          const first = (await versions(place(), ref))[0]
          await twice(() => disableVersion(place(), ref, made.ref))
          expect(versionState(await disableVersion(place(), ref, made.ref))).toBe('disabled')
          expect((await versions(place(), ref))[0]).toEqual(first)
          await twice(() => enableVersion(place(), ref, made.ref))
          expect(await version(place(), ref, made.ref)).toEqual(made)
        })
    })
}
