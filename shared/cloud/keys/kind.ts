import type { Context } from '../../http/context.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import type { SagaKind } from '../../work/sagas/saga.ts'
import type { ContainerKind, ContainerRow, StoredContainer } from '../containers/kind.ts'
import type { Cloud, RemoteKey } from '../contract.ts'

/** Fields that the record of every cloud key has. */
export interface StoredKey {
  readonly id: string
  readonly uri: string
  /** whether its cloud no longer has it */
  readonly gone: boolean
  readonly updatedAt: string
  /** fields that could not be read last time */
  readonly unread?: readonly string[] | undefined
  /** the job configuration that rotates it, and how */
  readonly labels?: { readonly job_config_id: string } | undefined
}

/** Fields that the list row of every cloud key has. */
export interface StoredKeyRow {
  readonly job_config_id?: string | undefined
}

/** The types of one cloud's keys, so that a verb takes one type parameter. */
export interface KeyTypes {
  readonly key: StoredKey
  readonly row: StoredKeyRow
  /** a key as callers see it */
  readonly shown: object
  readonly container: StoredContainer
  readonly containerRow: ContainerRow
  /** where keys are, entered by a connection */
  readonly place: object
  readonly spec: object
  /** a key as its cloud describes it */
  readonly read: RemoteKey<object>
  /** all that is read of a key before it is recorded: `read`, with the versions where keys have any */
  readonly whole: object
  /** what this cloud can do beyond what every cloud can */
  readonly own: object
}

export type CloudOf<T extends KeyTypes> = Omit<Cloud<never, T['place'], T['spec'], T['read']>, 'test'> & T['own']
export type Containers<T extends KeyTypes> = ContainerKind<T['container'], T['containerRow'], unknown>

/** The keys of one cloud, as the shared verbs need to know them. */
export interface KeyKind<T extends KeyTypes> {
  /** its cloud, as paths and messages name it */
  readonly service: string
  /** what messages call one; `key` without */
  readonly noun?: string
  readonly entity: Entity<T['key'], T['row']>
  readonly containers: Containers<T>
  readonly containerIdOf: (key: T['key'] | T['row']) => string
  /** the set of a container's keys */
  readonly setOf: (containerId: string) => string
  /** the action that lets a caller see the key */
  readonly viewOf: (key: T['key']) => string
  /** the key's name in audit records */
  readonly nameOf: (key: T['key']) => string
  /** what no two pieces of work may change at once; the key by its id without */
  readonly subjectOf?: (key: T['key']) => string
  readonly auditView: (key: T['key']) => Readonly<Record<string, unknown>>
  /** whether the audit record of a key that was read and had not changed shows it before as well as after */
  readonly showsUnchanged?: true
  /** whether actions honour If-Match */
  readonly honoursIfMatch?: true
  readonly present: (stored: Stored<T['key']>, container: T['container'] | undefined) => Stored<T['shown']>
  /** @throws Refusal STATE_CONFLICT for a key with which nothing is done at its cloud, for example one that is gone */
  readonly assertManaged: (key: T['key']) => void

  readonly cloud: () => Promise<CloudOf<T>>
  readonly refOf: (key: T['key']) => string
  /** Where a key is worked on. @throws Refusal NOT_FOUND when its container is gone by now, STATE_CONFLICT */
  readonly reach: (context: Context, key: T['key']) => Promise<T['place']>
  /** The key as it is now; `null` when its cloud does not have it. */
  readonly readAfter: (context: Context, place: T['place'], key: T['key']) => Promise<T['whole'] | null>
  /**
   * The key after work on it was refused, also in a container that was archived meanwhile; `undefined`: its record stays.
   */
  readonly readRefused: (context: Context, key: T['key']) => Promise<T['whole'] | null | undefined>
  /** The record as the cloud now describes its key, the very same when nothing changed. Stages what belongs to the key. */
  readonly refreshed: (context: Context, key: T['key'], whole: T['whole'] | null) => T['key'] | Promise<T['key']>
}

/** A kind of work on keys, which answers a key as shown. */
export type KeySaga<T extends KeyTypes, Input extends object, Result> = SagaKind<Input, Result, T['shown'], T['row']>

/** Keys as work that was finished without its caller answers them. */
export const answeredKeys = <T extends KeyTypes>({
  entity,
  containers,
  containerIdOf,
  present,
}: KeyKind<T>): KeySaga<T, object, unknown>['entity'] => ({
  id: (key) => entity.id(key as T['key']), // a key as shown has the id of its record
  get: async (domain, id) => {
    const stored = await entity.get(domain, id)
    const container = stored && (await containers.entity.get(domain, containerIdOf(stored.item)))
    return stored && present(stored, container?.item)
  },
})
