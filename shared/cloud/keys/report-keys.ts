import type { Caller } from '../../http/context.ts'
import { atOnce } from '../../base/at-once.ts'
import type { Entity } from '../../store/entity.ts'
import { ORIGINS } from '../../work/report/model.ts'
import { keysOfFamily, pageOfAges, rememberedKeys, type FindKeys } from '../../work/report/remembered-keys.ts'
import type { OpenContainer, ReportAction, Reported } from '../../work/report/reported.ts'
import type { ContentRow } from '../../work/report/store.ts'
import type { ContainerKind, ContainerRow, StoredContainer } from '../containers/kind.ts'
import { containersPermitting } from '../containers/permitting.ts'

/** Keys whose ages are read in parallel. */
const KEYS_AT_ONCE = 8

interface ReportedKey {
  readonly gone: boolean
  readonly key_material_origin: keyof typeof ORIGINS
}

/** The keys of one place in a report. */
interface KeysOfPlace<K extends ReportedKey, R> {
  readonly domain: string
  readonly keys: Entity<K, R>
  readonly family: string
  /** fields of every row about a key, given the cloud's name of it, besides the origin of its material */
  readonly about: (ref: string, key: K | undefined) => ContentRow
  /** finds keys by the names in the log, if these are not their keys in the family */
  readonly find?: FindKeys<K>
  /** which records of the family have an age of their own; default: all */
  readonly isReported?: (key: K) => boolean
}

/** An action on a key, or on a place as a whole, in the cloud's own log. */
interface Activity {
  readonly id: string
  readonly ref: string
  readonly activity: string
  readonly at: string
  readonly user: string
  /** whether this service performed it */
  readonly isOurs: boolean
  readonly error?: string | undefined
}

const aboutKey = <K extends ReportedKey, R>(
  { about }: KeysOfPlace<K, R>,
  ref: string,
  key: K | undefined,
): ContentRow => ({
  ...about(ref, key),
  origin: key === undefined ? null : ORIGINS[key.key_material_origin],
})

/** Activity on the keys of a place. @param read some entries of the log, in its order */
export function activityOf<K extends ReportedKey, R>(
  place: KeysOfPlace<K, R>,
  read: (cursor: string | undefined) => Promise<{ entries: readonly Activity[]; next: string | undefined }>,
): OpenContainer {
  const records = rememberedKeys(place.find ?? keysOfFamily(place.keys, place.domain, place.family))
  return {
    page: async (cursor) => {
      const { entries, next } = await read(cursor)
      const keys = await records(entries.flatMap(({ ref }) => (ref === '' ? [] : [ref])))
      return {
        entries: entries.map(({ id, ref, activity, at, user, isOurs, error }) => {
          const done = { key_activity: activity, modified_time: at, user_name: user, keymgr_operation: isOurs }
          const failed = error === undefined ? {} : { error_code: error }
          return { id, row: { ...aboutKey(place, ref, keys.get(ref)), ...done, ...failed } }
        }),
        next,
      }
    },
  }
}

/** The age of a key is that of its material, if known. */
interface Age {
  readonly ref: string
  readonly since: string
  readonly isRotated: boolean
}

/**
 * The ages of a place's keys, in the order of the cloud's names. Ours: the importer of the material is not on record.
 */
export const agesOf = <K extends ReportedKey, R>(
  place: KeysOfPlace<K, R>,
  ageOf: (key: K) => Age | Promise<Age>,
): OpenContainer => ({
  page: (cursor) =>
    pageOfAges(place.keys, place.domain, { family: place.family, cursor }, (keys) =>
      atOnce(keys.filter(place.isReported ?? (() => true)), KEYS_AT_ONCE, async (key) => {
        const { ref, since, isRotated } = await ageOf(key)
        return {
          id: ref,
          row: {
            ...aboutKey(place, ref, key),
            key_activity: isRotated ? 'Rotated' : 'Created',
            modified_time: since,
            user_name: '',
            keymgr_operation: key.key_material_origin === 'keymgr',
          },
        }
      }),
    ),
})

/** Ids of the containers in which a caller may perform an action. @param narrowBy as of `containersPermitting` */
export const containersWith =
  <T extends StoredContainer, R extends ContainerRow, S>(
    { entity }: ContainerKind<T, R, S>,
    narrowBy: string,
  ): Reported<never>['containersWith'] =>
  async (caller: Caller, action: ReportAction) =>
    new Set((await containersPermitting(entity, caller, [action], narrowBy)).map(({ id }) => id))
