import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { recordExport, withMaterial } from '../../../vault/keys/material/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { findKeyFor, keyById } from '../find-key.ts'
import { homeOf, reachKey, readNow, recipientIn } from '../place.ts'
import { sourceFor, sourceSoFar, type WantedSource } from '../source-key.ts'
import type { Sources } from './compare-versions.ts'
import { recordVersionsRefused, settleVersion, sourceOf } from './record-versions.ts'
import { answeredVersions, type VersionedKind, type VersionedTypes, type VersionSaga, type Whole } from './kind.ts'

/** A version to be added to a key. */
export interface AddingVersion extends WantedSource {
  readonly key_id: string
}

interface Added<T extends VersionedTypes> {
  readonly ref: string
  readonly localKeyId: string | undefined
  readonly whole: Whole<T> | null
}

/** How new versions are added to one cloud's keys. */
interface Adds<T extends VersionedTypes, Input extends AddingVersion> {
  readonly specOf: (input: Input) => T['versionSpec']
  /** Makes the key use the version from now on, if the cloud does not do so itself. */
  readonly use: (place: T['place'], key: T['key'], ref: string) => Promise<unknown>
}

/** The step in which the cloud's verbs record the version that they created. */
const VERSION = 'version'

/** The source of the new version's material, by the cloud's name of the version. */
const sourcesOf = async (context: Context, ref: string, localKeyId: string | undefined): Promise<Sources> =>
  new Map(localKeyId === undefined ? [] : [[ref, await sourceOf(context, localKeyId)] as const])

/**
 * Rotation by a new version of the same key: creates it, and makes the key use it. Ciphertexts of earlier versions can
 * still be decrypted.
 * @param name of the saga
 */
export function addingVersion<T extends VersionedTypes, Input extends AddingVersion>(
  kind: VersionedKind<T>,
  name: string,
  { specOf, use }: Adds<T, Input>,
): VersionSaga<T, Input, Added<T>> {
  return {
    name,
    entity: answeredVersions(kind),
    lasting: [VERSION],
    unrecorded: () => Promise.resolve([]), // versions have references of their own
    run: async (context, input, journal) => {
      const { item: key } = await keyById(kind, context, input.key_id)
      const localKeyId = await sourceFor(context, kind.service, input, journal)
      const place = await reachKey(kind, context, key)
      const { cloud } = kind.versions
      const [at, spec] = [kind.refOf(key), specOf(input)]
      const { ref } =
        localKeyId === undefined
          ? await cloud.createVersion(place, at, spec, journal)
          : await withMaterial(context, recipientIn(kind, homeOf(kind, key)), localKeyId, (material) =>
              cloud.importVersion(place, at, spec, material, journal),
            )
      await use(place, key, ref)
      return { ref, localKeyId, whole: await readNow(kind, context, place, key) }
    },
    settle: async (context, { key_id }, { ref, localKeyId, whole }) => {
      if (localKeyId !== undefined) await recordExport(context, localKeyId)
      const sources = await sourcesOf(context, ref, localKeyId)
      const rotated_at = context.now.toISOString()
      return settleVersion(kind, context, key_id, whole, ref, sources, (key) => ({ ...key, rotated_at }))
    },
    undo: async (context, input, journal) => {
      const ref = journal.noted(VERSION)
      const localKeyId = sourceSoFar(input, journal)
      const mayHaveLeft = localKeyId !== undefined && typeof ref === 'string'
      if (mayHaveLeft) await recordExport(context, localKeyId)
      const sources = mayHaveLeft ? await sourcesOf(context, ref, localKeyId) : undefined
      await recordVersionsRefused(kind, context, input.key_id, sources)
    },
  }
}

/**
 * Adds a version to a key in whose container the caller may perform `action`. @throws Refusal NOT_FOUND, ACTION_DENIED,
 * …
 */
export const addVersionTo = <T extends VersionedTypes, Input extends AddingVersion>(
  kind: VersionedKind<T>,
  adding: VersionSaga<T, Input, Added<T>>,
  context: Context,
  keyId: string,
  action: string,
  inputFor: (key: T['key']) => Input | Promise<Input>,
): Promise<Stored<T['versionShown']>> =>
  carryOut(context, adding, async () => {
    const { item: key } = (await findKeyFor(kind, context, keyId, action)).stored
    return { subject: keyId, container: kind.containerIdOf(key), input: await inputFor(key) }
  })
