import type * as z from 'zod'
import { rooms, type RoomRow } from '../base/room.ts'

/** A parameter object that rotation configurations have for one kind of key alone, such as `cloud_a_param`. */
export interface RotationParam {
  readonly field: string
  readonly schema: () => z.ZodType<object>
}

/** An operation of job configurations that one cloud alone has. */
export interface JobOperationFacts {
  readonly name: string
  readonly description: string
  /** of its audit records */
  readonly summary: string
  /** field and schema of its parameters */
  readonly params: { readonly field: string; readonly schema: () => z.ZodType<object> }
}

/** Words by which job configurations and long work know keys outside this service: those of a cloud, or of a protocol. */
export interface WorkFacts {
  readonly name: string
  /** false: the name is known, and refused as not offered yet */
  readonly isOffered: boolean
  /** Field under which bodies and records list its containers; absent where no container is synchronized. */
  readonly containerList?: string
  /**
   * Words of `sync_item` and the member of `synchronize` that each means. A synchronization on a schedule names some of
   * them, or `all`. Absent where only keys are synchronized.
   */
  readonly syncItems?: Readonly<Record<string, string>>
  /** How job configurations rotate its keys; absent when they cannot. */
  readonly rotation?: {
    readonly param?: RotationParam
    /** whether keys are chosen by `rotation_after` and by `expire_in` */
    readonly byAge: boolean
    readonly byExpiry: boolean
  }
  readonly jobOperations?: readonly JobOperationFacts[]
}

/** The word of `sync_item` for everything that a cloud synchronizes. */
export const ALL_ITEMS = 'all'

const hasFacts = (row: RoomRow): row is RoomRow & WorkFacts => row.isOffered !== undefined

/** Those of every cloud, and of every protocol whose keys are rotated. */
export const workFacts = (): readonly WorkFacts[] => rooms().filter(hasFacts)

/** The words of `sync_item` of all clouds. */
export const syncWords = (): readonly string[] => [
  ...new Set(workFacts().flatMap(({ syncItems = {} }) => Object.keys(syncItems))),
]

const factsOf = (name: string): WorkFacts | undefined => workFacts().find((row) => row.name === name)

/** Field under which the containers of a cloud are listed. @throws Error, a fault, for a cloud that has none */
export function containerListOf(name: string): string {
  const list = factsOf(name)?.containerList
  if (list === undefined) throw new Error(`${name} has no containers`)
  return list
}
