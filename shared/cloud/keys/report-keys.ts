import type { Caller } from '../../http/context.ts'
import { atOnce } from '../../base/at-once.ts'
import type { ReportType } from '../../work/report/model.ts'
import { keysOfFamily, pageOfAges, rememberedKeys } from '../../work/report/remembered-keys.ts'
import type { OpenContainer, ReportAction, Reported } from '../../work/report/reported.ts'
import type { ReportContainer, StoredReport } from '../../work/report/store.ts'
import type { ContainerKind, ContainerRow, StoredContainer } from '../containers/kind.ts'
import { containersPermitting } from '../containers/permitting.ts'
import { comparisonOf } from './report-comparison.ts'
import { ownCallsOn } from './report-own-calls.ts'
import { aboutKey, type KeysOfPlace, type ReportedKey } from './reported-keys.ts'

/** Keys whose ages are read in parallel. */
const KEYS_AT_ONCE = 8

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

/** Some entries of the log, in its order. */
type ReadLog = (cursor: string | undefined) => Promise<{ entries: readonly Activity[]; next: string | undefined }>

/** Activity on the keys of a place. */
function activityOf<K extends ReportedKey, R>(place: KeysOfPlace<K, R>, read: ReadLog): OpenContainer {
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
const agesOf = <K extends ReportedKey, R>(
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

/** The sources of all kinds of reports on a place. */
interface ReportedPlace<K extends ReportedKey, R> {
  readonly keys: KeysOfPlace<K, R>
  readonly ageOf: (key: K) => Age | Promise<Age>
  /** Opens the cloud's own log. @throws Refusal without one */
  readonly log: () => Promise<ReadLog>
}

/** Opens a place of a report of any kind. */
export async function reportOn<K extends ReportedKey, R>(
  report: StoredReport,
  container: ReportContainer,
  when: { readonly now: Date; readonly budget: AbortSignal },
  { keys, ageOf, log }: ReportedPlace<K, R>,
): Promise<OpenContainer> {
  const kinds: Readonly<Record<ReportType, () => Promise<OpenContainer> | OpenContainer>> = {
    'key-report': async () => activityOf(keys, await log()),
    'key-aging': () => agesOf(keys, ageOf),
    'service-report': () => ownCallsOn(keys, report),
    'reconciliation-report': () => comparisonOf(keys, report.cloud_name, container, when),
  }
  return kinds[report.report_type]()
}

/** Ids of the containers in which a caller may perform an action. @param narrowBy as of `containersPermitting` */
export const containersWith =
  <T extends StoredContainer, R extends ContainerRow, S>(
    { entity }: ContainerKind<T, R, S>,
    narrowBy: string,
  ): Reported<never>['containersWith'] =>
  async (caller: Caller, action: ReportAction) =>
    new Set((await containersPermitting(entity, caller, [action], narrowBy)).map(({ id }) => id))
