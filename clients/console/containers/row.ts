import type { AddWay } from '../clouds/row.ts'
import type { Choice } from '../forms/fields.ts'
import type { Action } from '../forms/actions.tsx'
import type { FilterRow } from '../list/filters.tsx'
import type { PageOf } from '../list/rows.ts'
import type { Call } from '../calls.ts'
import { read } from '../service.ts'
import type { AttributeRow } from '../words/attributes.tsx'
import type { Tone } from '../words/states.tsx'

/** A container as lists and titles show it. */
export interface ContainerSummary {
  readonly id: string
  readonly uri: string
  readonly name: string
  /** shown in place of a name that is a path */
  readonly title: string
  readonly state: string
  readonly tone: Tone
  readonly connection: string | undefined
  readonly place: string
  readonly readAt: string | undefined
}

/** A read of containers' keys, as every cloud has it. */
export interface Synchronization {
  readonly id: string
  readonly createdAt: string
  readonly completed_at?: string
  readonly overall_status: 'in_progress' | 'completed' | 'failed' | 'aborted'
  readonly synchronize_all: boolean
  readonly detailed_status: Readonly<Record<string, string>>
  readonly added: number
  readonly updated: number
  readonly gone: number
  readonly unread: number
  readonly errors: readonly string[]
}

type Query = Readonly<Record<string, unknown>>

/** The containers of a cloud: all that the console knows of them. For the methods, see `CloudRow`. */
export interface ContainersRow<C = unknown> {
  /** as the row of the cloud */
  readonly cloud: string
  readonly title: string
  /** a container, in the singular */
  readonly noun: string
  readonly list: (query: Query, signal?: AbortSignal) => Promise<PageOf<C>>
  readonly get: (id: string, signal: AbortSignal) => Promise<C>
  summary(container: C): ContainerSummary
  attributes(container: C): readonly AttributeRow[]
  /** the filter of keys by the name of a container */
  readonly keysBy: string
  readonly filters: readonly FilterRow[]
  /** an action named `remove` ends with the list */
  readonly actions: readonly Action<C>[]
  readonly add: AddWay
  /** tests a connection by its name */
  readonly testConnection: (connection: string) => Call
  readonly synchronizations: SynchronizationsRow
}

/** How keys are read in. */
export interface SynchronizationsRow {
  readonly list: (query: Query, signal: AbortSignal) => Promise<PageOf<Synchronization>>
  readonly get: (id: string, signal: AbortSignal) => Promise<Synchronization>
  /** names the containers of one in its answer, and in queries for some */
  readonly listedAs: string
  /** @param names all containers without */
  readonly start: (names?: readonly string[]) => Call
  readonly cancel: (id: string) => Call
}

/** Connections to a cloud, to choose from. */
export const connectionsTo = (service: 'cloud-a' | 'cloud-b' | 'cloud-c') => async (): Promise<readonly Choice[]> => {
  const { resources } = await read('/v1/connectionmgmt/connections', { query: { service: [service], limit: 1000 } })
  return resources.map(({ name }) => ({ value: name }))
}
