import type { ProtocolRow } from '../endpoints/row.ts'
import type { Action, AddWay } from '../forms/actions.tsx'
import type { FieldRow } from '../forms/fields.ts'
import type { FilterRow, Filters } from '../list/filters.tsx'
import type { PageOf } from '../list/pages.ts'
import type { Call } from '../calls.ts'
import type { Query } from '../service.ts'
import type { Tone } from '../words/states.tsx'
import type { CloudName } from './cloud-name.ts'
import type { ContainersRow } from './containers.ts'
import type { ReportsRow } from './reports.ts'

/** A key as lists and titles show it, wherever it is. */
export interface KeySummary {
  readonly id: string
  readonly uri: string
  readonly name: string
  readonly state: string
  readonly tone: Tone
  /** the container it lives in, as the cloud says it */
  readonly place: string
  /** algorithm and size */
  readonly spec: string
  readonly createdAt: string
  readonly expiresAt?: string | undefined
}

/** A version of a key, or a generation where each is a key of its own. */
export interface VersionView {
  readonly id: string
  readonly title: string
  readonly state: string
  readonly tone: Tone
  readonly createdAt: string
  readonly uri?: string
  /** of its own page */
  readonly keyId?: string
  /** its record, of one that has no page of its own */
  readonly of?: unknown
}

/** A job that goes on after the call that begins it was answered. */
export interface JobRow {
  /** what it works on, in the singular */
  readonly noun: string
  readonly load: (id: string, signal: AbortSignal) => Promise<KeysJob>
}

export interface KeysJob {
  readonly id: string
  readonly overall_status: string
  /** all that have a turn, where it is known */
  readonly keys?: readonly string[]
  /** of those that had their turn: `Success`, or why not */
  readonly detailed_status: Readonly<Record<string, string>>
}

/** Something that can be done with one key. */
export interface KeyAction<K> extends Action<K> {
  /** where its answer is a job */
  readonly job?: JobRow
  /** whether the answer is a key, whose page is opened then */
  readonly opens?: boolean
}

/** Something that can be done with many keys: one call for each of them, or for as many as a job takes. */
export interface BulkAction {
  readonly name: string
  readonly title: string
  readonly about: string
  readonly isDangerous?: boolean
  readonly fields?: readonly FieldRow[]
  readonly calls: (ids: readonly string[], body: Record<string, unknown>) => readonly Call[]
  /** where each call is answered by a job */
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

/** Keys that expire, as many as are read at once. */
export interface Expirings {
  readonly items: readonly Expiring[]
  /** of all that there are */
  readonly total: number
}

export interface NotConnected {
  readonly id: string
  /** of its page, below the console */
  readonly at: string
  readonly title: string
  readonly state: string
}

export interface KeysRow<K> {
  /** the head of the column of `KeySummary.place` */
  readonly place: string
  /** service and kind in the URIs of keys */
  readonly uri: string
  /** the id in the address of a key, where its URI has another */
  readonly idOf?: (id: string) => string
  readonly list: (query: Query, signal?: AbortSignal) => Promise<PageOf<K>>
  readonly get: (id: string, signal: AbortSignal) => Promise<K>
  summary(key: K): KeySummary
  /** particular attributes, by label; empty values are left out */
  attributes(key: K): readonly (readonly [label: string, value: string | undefined])[]
  versions(key: K, signal: AbortSignal): Promise<readonly VersionView[]>
  readonly filters: readonly FilterRow[]
  /** filters under which a key counts once, where each of its versions is a record */
  readonly once?: Filters
  readonly states: readonly StateRow[]
  readonly actions: readonly KeyAction<K>[]
  /** of a version that has no page of its own */
  readonly versionActions?: readonly Action<unknown>[]
  readonly bulk: readonly BulkAction[]
  readonly ways: readonly AddWay[]
  /** keys that expire before a time; some may have expired already */
  readonly expiring?: (before: string, signal: AbortSignal) => Promise<Expirings>
}

/**
 * A place where keys are: all that the console knows of it. Methods that take a key are declared as methods, so that the row
 * of a place with its own type of keys is a row of keys of any type; they are given keys of the same row only.
 */
export interface PlaceRow<K = unknown> {
  /** as the interface says it, and in addresses of the console */
  readonly name: string
  readonly title: string
  readonly keys: KeysRow<K>
  /** stores that should be connected and are not */
  readonly notConnected?: (signal: AbortSignal) => Promise<readonly NotConnected[]>
}

/** Particulars of job configurations for a cloud. */
export interface JobsRow {
  /** operations that it alone has, with their titles */
  readonly operations?: Readonly<Record<string, string>>
  /** fields of rotations, among its own parameters */
  readonly rotation?: readonly FieldRow[]
}

/** A cloud, whose keys are in containers. */
export interface CloudRow<K = unknown, C = unknown> extends PlaceRow<K> {
  readonly name: CloudName
  readonly containers: ContainersRow<C>
  readonly reports: ReportsRow
  readonly jobs?: JobsRow
  /** what it calls to use keys that stay here */
  readonly endpoints?: readonly ProtocolRow[]
}
