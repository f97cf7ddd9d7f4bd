import type { SimulatedCloud } from './simulated-cloud.ts'
import type { BareSurvey } from './survey.ts'

/** Calls of a deployment's administrator. */
export interface Calls {
  readonly send: (method: string, target: string, body: unknown, token?: string) => Promise<any>
  readonly logIn: () => Promise<string>
}

/**
 * The cloud-specific part of the benches; no other part names a cloud. A place is a location of its keys: a region, a
 * vault.
 */
export interface BenchedCloud<C extends SimulatedCloud = SimulatedCloud> {
  /** name in paths */
  readonly name: string
  /** Places of the simulated cloud, for benches that need two. */
  readonly places: readonly [string, string]
  readonly start: () => Promise<C>
  /** Adds the connection and the containers of both places. @returns ids of the containers, by place */
  readonly connect: (cloud: C, calls: Calls) => Promise<Readonly<Record<string, string>>>
  /** Path of its jobs below its name; default `synchronization-jobs`. */
  readonly jobs?: string
  /** The body of a job that synchronizes a place. */
  readonly synchronizationOf: (place: string) => object
  /** The parameters of a report on a place's log, if reports are measured. */
  readonly reportOf?: (cloud: C, place: string) => object
  /** The entity of its keys. */
  readonly keyEntity: string
  /** Rows of a key that a change writes; default 1, the record. 2 where its place has a digest. */
  readonly rowsOfChange?: number
  /**
   * Writes records of all keys that a place has at the cloud, as a first synchronization would: through the store's own
   * writes, like the record of the one key that is already synchronized. Absent where keys have further records: then a
   * first synchronization writes them.
   */
  readonly recordKeys?: (cloud: C, place: string, container: string) => Promise<void>
  /** A client of the cloud without the service, for a place with this many keys. */
  readonly startSurvey: (cloud: C, place: string, keys: number) => BareSurvey
  /** Further calls of a bare client: measured, but without a promised ratio. */
  readonly besides: readonly { readonly depth: string; readonly name: string; readonly remark: string }[]
}
