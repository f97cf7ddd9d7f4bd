import type { ConnectionRow } from '../connections/row.ts'
import type { ProtocolRow } from '../endpoints/row.ts'
import type { Action, AddWay } from '../forms/actions.tsx'
import type { FieldRow } from '../forms/fields.ts'
import type { FilterRow, Filters } from '../list/filters.tsx'
import type { PageOf } from '../list/pages.ts'
import type { Call } from '../calls.ts'
import type { ResourceRow } from '../resources/row.ts'
import type { Query } from '../service.ts'
import type { Tone } from '../words/states.tsx'
import type { CloudName } from './cloud-name.ts'
import type { Use } from './uses.ts'
import type { ContainersRow } from './containers.ts'
import type { ReportsRow } from './reports.ts'

/** A key in lists and titles, local or of a cloud. */
export interface KeySummary {
  readonly id: string
  readonly uri: string
  readonly name: string
  readonly state: string
  readonly tone: Tone
  /** its container, in the cloud's terms */
  readonly place: string
  /** algorithm and size */
  readonly spec: string
  readonly createdAt: string
  readonly expiresAt?: string | undefined
  /** when its cloud deletes it, after which it cannot be brought back */
  readonly deletedAt?: string | undefined
  /** whether it ever had other material; absent where that is unknown */
  readonly isRotated?: boolean
}

/** A version of a key; in some clouds, a key that precedes or replaces it. */
export interface VersionView {
  readonly id: string
  readonly title: string
  readonly state: string
  readonly tone: Tone
  readonly createdAt: string
  readonly uri?: string
  /** id of the version's own page */
  readonly keyId?: string
  /** its record, if it has no page of its own */
  readonly of?: unknown
}

/** A job that continues after the call that starts it was answered. */
export interface JobRow {
  /** what it processes, in the singular */
  readonly noun: string
  readonly load: (id: string, signal: AbortSignal) => Promise<KeysJob>
}

export interface KeysJob {
  readonly id: string
  readonly overall_status: string
  /** all keys of the job, if known */
  readonly keys?: readonly string[]
  /** results of finished keys: `Success`, or a reason */
  readonly detailed_status: Readonly<Record<string, string>>
  /** when it will be over at its present pace, if known */
  readonly expected_end_at?: string
}

/** An action on one key. */
export interface KeyAction<K> extends Action<K> {
  /** the job in its answer, if there is one */
  readonly job?: JobRow
  /** whether the answer is a key, whose page then opens */
  readonly opens?: boolean
}

/** An action on many keys: one call per key, or per as many as a job accepts. */
export interface BulkAction {
  readonly name: string
  readonly title: string
  readonly about: string
  /** its body decides that it stops or ends something, not the path of its calls */
  readonly isDangerous?: true
  /** it cannot be undone: the user types the number of keys */
  readonly isEnding?: boolean
  readonly fields?: readonly FieldRow[]
  readonly calls: (ids: readonly string[], body: Record<string, unknown>) => readonly Call[]
  /** the job in the answer of each call, if there is one */
  readonly job?: JobRow
}

/** Keys in one state, or of one kind, as the overview counts them. */
export interface StateRow {
  readonly title: string
  readonly tone: Tone
  readonly filters: Filters
}

export interface Expiring {
  readonly id: string
  readonly title: string
  readonly time: string
}

/** Keys that expire: the first page of them. */
export interface Expirings {
  readonly items: readonly Expiring[]
  /** number of all of them */
  readonly total: number
}

export interface NotConnected {
  readonly id: string
  /** address of its page, below the console */
  readonly at: string
  readonly title: string
  readonly state: string
}

/** Names of the filters that places share, for the list of all keys. Absent: the place has no such filter. */
interface CommonFilters {
  /** accepts * and ? */
  readonly name: string
  /** accepts `name=value` */
  readonly label?: string
  readonly expires?: string
  /** where the material was made; absent if all of it is made by this service */
  readonly material?: string
  /** whether summaries know if a key was rotated */
  readonly knowsRotation: boolean
  /** keys that are not ended */
  readonly usable: Query
}

export interface KeysRow<K> {
  /** column heading of `KeySummary.place` */
  readonly place: string
  /** service and kind in the URIs of keys */
  readonly uri: string
  /** turns the id in a URI into the id in the address of a key, if they differ */
  readonly idOf?: (id: string) => string
  readonly list: (query: Query, signal?: AbortSignal) => Promise<PageOf<K>>
  readonly get: (id: string, signal: AbortSignal) => Promise<K>
  summary(key: K): KeySummary
  /** cloud-specific attributes, by label; empty values are omitted */
  attributes(key: K): readonly (readonly [label: string, value: string | undefined])[]
  versions(key: K, signal: AbortSignal): Promise<readonly VersionView[]>
  /** resources that depend on the key, according to its record; absent if none can */
  uses?(key: K): readonly Use[]
  /** the policy that the cloud keeps with the key, as text; absent where it keeps none */
  policy?(key: K, signal: AbortSignal): Promise<string | undefined>
  readonly filters: readonly FilterRow[]
  readonly common: CommonFilters
  /** filters that count a key once where each of its versions is a record */
  readonly once?: Filters
  readonly states: readonly StateRow[]
  readonly actions: readonly KeyAction<K>[]
  /** actions on a version without a page of its own */
  readonly versionActions?: readonly Action<unknown>[]
  readonly bulk: readonly BulkAction[]
  readonly ways: readonly AddWay[]
  /** keys that expire before a time, including expired ones */
  readonly expiring?: (before: string, signal: AbortSignal) => Promise<Expirings>
}

/**
 * Everything that the console knows about a place with keys. Functions with a key as a parameter are declared as
 * methods, so that the row of a place with its own type of keys is a row of keys of any type; they only receive keys of
 * the same row.
 */
export interface PlaceRow<K = unknown> {
  /** as in the API, and in addresses of the console */
  readonly name: string
  readonly title: string
  readonly keys: KeysRow<K>
  /** stores that should be connected but are not */
  readonly notConnected?: (signal: AbortSignal) => Promise<readonly NotConnected[]>
}

/** Cloud-specific parts of job configurations. */
export interface JobsRow {
  /** operations that only this cloud has, with their titles */
  readonly operations?: Readonly<Record<string, string>>
  /** fields of rotations, among the cloud's own parameters */
  readonly rotation?: readonly FieldRow[]
}

/** A cloud, whose keys are in containers. */
export interface CloudRow<K = unknown, C = unknown> extends PlaceRow<K> {
  readonly name: CloudName
  /** how the service enters the cloud; without one, its connections have no page */
  readonly connection?: ConnectionRow
  readonly containers: ContainersRow<C>
  readonly reports: ReportsRow
  readonly jobs?: JobsRow
  /** its resources besides keys, each with a page */
  readonly more?: readonly ResourceRow[]
  /** protocols by which the cloud uses keys that stay here */
  readonly endpoints?: readonly ProtocolRow[]
}
