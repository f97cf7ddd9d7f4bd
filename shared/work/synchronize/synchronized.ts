import type { Context } from '../../http/context.ts'
import type { Changes } from '../../store/changes.ts'
import type { Entity } from '../../store/entity.ts'
import type { Backups } from './backups.ts'

/** Some references of a place and, unless it is the last page, the cursor. May be short or even empty. */
export interface RefPage {
  readonly refs: readonly string[]
  readonly next?: string
}

/** Reads very many keys of one place; facts common to all keys are read first. */
export interface Survey<Key, Known = unknown> {
  /** @param known the record of the key, if any: its facts may save a call */
  read(ref: string, known?: Known): Promise<Key | undefined>
  /** References of all keys, if the place was listed whole: they are not listed again. */
  readonly refs?: readonly string[]
}

/** A container as a job names it, and its places. */
export interface ContainerPlaces {
  readonly id: string
  readonly name: string
  readonly regions: readonly string[]
}

/** Further resources of a place, which a synchronization reads after its keys and does not count. */
export interface Others {
  /** as in an error of the job */
  readonly noun: string
  /** Brings their records up to date. May be stopped and repeated. */
  readonly synchronize: (now: Date) => Promise<unknown>
}

/** One place, opened for reading all of its keys. */
export interface OpenPlace<Key, T> {
  readonly survey: Survey<Key, T>
  /** Keys on record that are compared at a time; default 100. More where the survey has every key in memory. */
  readonly keysAPage?: number
  refs(cursor: string | undefined): Promise<RefPage>
  /**
   * References that reading these keys revealed and `refs` may omit, including recorded ones. Called after each page of
   * known keys.
   */
  beside?(refs: readonly string[]): Promise<readonly string[]>
  /**
   * The record updated with its cloud's description of the key (`undefined`: deleted); the same object when nothing
   * changed. May call the cloud once more for facts of the survey.
   */
  refreshed(record: T, read: Key | undefined, now: Date): T | Promise<T>
  /**
   * Whether the record already has the described state; without side effects. Absent if `refreshed` has none either: an
   * unchanged object then means the same.
   */
  isAsRead?(record: T, read: Key): boolean
  /** Stages further writes that belong to a changed record. */
  changed?(changes: Changes, before: T, after: T, now: Date): void
  /** The record for a key found in the cloud; `undefined` when a saga is about to record it. */
  found(read: Key, now: Date): Promise<T | undefined>
  /** Further writes after a found key is recorded. May be stopped and completed later. */
  recorded?(record: T, read: Key, now: Date): Promise<void>
  /**
   * The digest that a record which describes the key so has in its family (`Family.digest`): the records of keys with
   * an equal digest are not read. Absent where the survey or `beside` need the records.
   */
  readonly digestOf?: (read: Key) => string
  readonly others?: Others
}

/** Synchronization of one cloud: where its keys live and how they are recorded. A new cloud is a new row. */
export interface Synchronized<Key, T, R> {
  readonly entity: Entity<T, R>
  /** The name of a place in a job's outcomes. */
  readonly placeName: (container: string, region: string) => string
  /** the family of a place's keys, by their refs */
  readonly family: (container: string, region: string) => string
  refOf(record: T): string
  readonly isGone: (record: T) => boolean
  /** The record of an unreadable key: unchanged except for a mark; the same object if it has the mark already. */
  readonly unread: (record: T, now: Date) => T
  /**
   * Containers that a job names, which the caller may synchronize. @throws Refusal NOT_FOUND, ACTION_DENIED,
   * STATE_CONFLICT
   */
  readonly named: (context: Context, references: readonly string[]) => Promise<ContainerPlaces[]>
  /** Every container that the caller may synchronize. */
  readonly all: (context: Pick<Context, 'caller'>) => Promise<ContainerPlaces[]>
  /**
   * @param when `begun`: when the job began
   * @throws Refusal, which fails the place: its container is deleted, archived, or without a connection
   */
  readonly open: (
    domain: string,
    container: string,
    region: string,
    when: { readonly now: Date; readonly budget: AbortSignal; readonly begun: Date },
  ) => Promise<OpenPlace<Key, T>>
  /** Absent for resources of which jobs take no backups. */
  readonly backups?: Backups<T>
  /**
   * Called before every page. @throws Refusal as `open` does for a container that is deleted, archived, or has lost the
   * region
   */
  readonly assertThere: (domain: string, container: string, region: string) => Promise<void>
  /** Stages that places of a container were read completely. */
  readonly noteSynchronized: (
    changes: Changes,
    domain: string,
    container: string,
    regions: readonly string[],
    when: { readonly now: Date; readonly begun: Date },
  ) => Promise<void>
}

// Rows differ in their keys and records; each one receives only its own.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnySynchronized = Synchronized<any, any, any>
