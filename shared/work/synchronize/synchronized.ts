import type { Context } from '../../http/context.ts'
import type { Changes } from '../../store/changes.ts'
import type { Entity } from '../../store/entity.ts'

/** Some references of a place and, where there are more, the cursor. May be short or even empty. */
export interface RefPage {
  readonly refs: readonly string[]
  readonly next?: string
}

/** Reads very many keys of one place; facts common to all are read first. */
export interface Survey<Key, Known = unknown> {
  /** @param known the record of the key, where there is one: what it says may spare a call */
  read(ref: string, known?: Known): Promise<Key | undefined>
}

/** A container as a job names it, and its places. */
export interface ContainerPlaces {
  readonly id: string
  readonly name: string
  readonly regions: readonly string[]
}

/** One place, opened for reading all of its keys. */
export interface OpenPlace<Key, T> {
  readonly survey: Survey<Key, T>
  refs(cursor: string | undefined): Promise<RefPage>
  /**
   * Refs that reading these brought to light, where `refs` may leave them out: those on record among them. Asked for
   * after each page of known keys.
   */
  beside?(refs: readonly string[]): Promise<readonly string[]>
  /**
   * The record as its cloud now describes its key (`undefined`: no longer there); the very same when nothing changed. May
   * ask the cloud once more for what the survey learnt beforehand.
   */
  refreshed(record: T, read: Key | undefined, now: Date): T | Promise<T>
  /** The record of a key found there; `undefined` when a saga is about to record it. */
  found(read: Key, now: Date): Promise<T | undefined>
  /** Further writes, once a key found there is recorded. May be stopped and completed later. */
  recorded?(record: T, read: Key, now: Date): Promise<void>
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
  /** The record of a key that could not be read: as it was, with a mark; the very same when it has the mark. */
  readonly unread: (record: T, now: Date) => T
  /** Containers a job names, which the caller may synchronize. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT */
  readonly named: (context: Context, references: readonly string[]) => Promise<ContainerPlaces[]>
  /** Every container the caller may synchronize. */
  readonly all: (context: Pick<Context, 'caller'>) => Promise<ContainerPlaces[]>
  /** @throws Refusal, by which the place fails: its container is gone, archived, or without connection */
  readonly open: (
    domain: string,
    container: string,
    region: string,
    when: { readonly now: Date; readonly budget: AbortSignal },
  ) => Promise<OpenPlace<Key, T>>
  /** Asked before every page. @throws Refusal as `open` does for a container that is gone, archived, or has lost the region */
  readonly assertThere: (domain: string, container: string, region: string) => Promise<void>
  /** Stages that places of a container were read to their end. */
  readonly noteSynchronized: (
    changes: Changes,
    domain: string,
    container: string,
    regions: readonly string[],
    now: Date,
  ) => Promise<void>
}

// Rows differ in their keys and records; each is only ever handed its own.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnySynchronized = Synchronized<any, any, any>
