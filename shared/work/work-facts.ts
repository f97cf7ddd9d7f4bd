import type * as z from 'zod'
import { rooms, type RoomRow } from '../base/room.ts'

/** A parameter object of rotation configurations for a single kind of key, such as `cloud_a_param`. */
export interface RotationParam {
  readonly field: string
  readonly schema: () => z.ZodType<object>
}

/** An operation of job configurations that only one cloud has. */
export interface JobOperationFacts {
  readonly name: string
  readonly description: string
  /** `<Verb> <Resource>` in its audit records */
  readonly summary: string
  /** field and schema of its parameters */
  readonly params: { readonly field: string; readonly schema: () => z.ZodType<object> }
}

/** How job configurations and long work refer to keys outside this service: those of a cloud, or of a protocol. */
export interface WorkFacts {
  readonly name: string
  /** false: the name is known but refused as not offered yet */
  readonly isOffered: boolean
  /** Field that lists its containers in bodies and records; absent where no container is synchronized. */
  readonly containerList?: string
  /**
   * Words of `sync_item` mapped to members of `synchronize`. A synchronization on a schedule names some of them, or
   * `all`. Absent where only keys are synchronized.
   */
  readonly syncItems?: Readonly<Record<string, string>>
  /** How job configurations rotate its keys; absent when they cannot. */
  readonly rotation?: {
    readonly param?: RotationParam
    /** whether `rotation_after` and `expire_in` select keys */
    readonly byAge: boolean
    readonly byExpiry: boolean
  }
  /** How job configurations find its containers; absent when they cannot. */
  readonly discovery?: {
    /** whether `regions` narrows the search */
    readonly byRegion: boolean
    /** schema of a role that a connection can assume; absent if there are none */
    readonly role?: () => z.ZodType<string>
  }
  readonly jobOperations?: readonly JobOperationFacts[]
}

/** The word of `sync_item` for everything that can be synchronized in a cloud. */
export const ALL_ITEMS = 'all'

const hasFacts = (row: RoomRow): row is RoomRow & WorkFacts => row.isOffered !== undefined

/** The facts of every cloud, and of every protocol whose keys are rotated. */
export const workFacts = (): readonly WorkFacts[] => rooms().filter(hasFacts)

/** The words of `sync_item` of all clouds. */
export const syncWords = (): readonly string[] => [
  ...new Set(workFacts().flatMap(({ syncItems = {} }) => Object.keys(syncItems))),
]

const factsOf = (name: string): WorkFacts | undefined => workFacts().find((row) => row.name === name)

/** Field that lists the containers of a cloud. @throws Error, a fault, for a cloud that has none */
export function containerListOf(name: string): string {
  const list = factsOf(name)?.containerList
  if (list === undefined) throw new Error(`${name} has no containers`)
  return list
}
