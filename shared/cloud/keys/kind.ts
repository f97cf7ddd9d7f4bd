import type { Context } from '../../http/context.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import type { SagaKind } from '../../work/sagas/saga.ts'
import type { ContainerKind, ContainerRow, StoredContainer } from '../containers/kind.ts'
import type { Cloud, RemoteKey } from '../contract.ts'
import type { LocalSource } from './source-key.ts'

/** Fields that the record of every cloud key has. */
export interface StoredKey {
  readonly id: string
  readonly uri: string
  /** whether its cloud no longer lists it */
  readonly gone: boolean
  readonly updatedAt: string
  /** fields that could not be read at the last reading */
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
  /** a location of keys, with an opened connection */
  readonly place: object
  readonly spec: object
  /** a key as its cloud describes it */
  readonly read: RemoteKey<object>
  /** everything read of a key before it is recorded: `read`, and its versions if keys have any */
  readonly whole: object
}

type Verbs<T extends KeyTypes> = Cloud<never, T['place'], T['spec'], T['read']>

/** A cloud's adapter. `upload` is a capability: without it, requests for it are refused. */
export type CloudOf<T extends KeyTypes> = Omit<Verbs<T>, 'test' | 'upload'> & Partial<Pick<Verbs<T>, 'upload'>>
export type Containers<T extends KeyTypes> = ContainerKind<T['container'], T['containerRow'], unknown>

/** Where a key lives: a container, or one of its regions. */
export interface Home {
  /** id of its record */
  readonly container: string
  /** empty if containers have no regions */
  readonly region: string
}

/** How a place is opened. */
export interface Opening {
  readonly region: string
  readonly now: Date
  readonly budget: AbortSignal
  /** how long failing calls are repeated */
  readonly patience: 'request' | 'job'
}

/** Facts about a key that this service created, in addition to its cloud's description. */
export interface NewKey {
  /** id of the record */
  readonly id: string
  readonly home: Home
  /** the local key whose material it has; absent if the cloud generated the material */
  readonly source?: LocalSource | undefined
  /** further fields of the record */
  readonly known?: object | undefined
  /** `left`: could not be finished, but exists at the cloud; `unreadable`: the same, and it could not be read */
  readonly outcome: 'made' | 'left' | 'unreadable'
}

/** The keys of one cloud, as the shared verbs need to know them. */
export interface KeyKind<T extends KeyTypes> {
  /** name of its cloud in paths and messages */
  readonly service: string
  /** its name in messages; default `key` */
  readonly noun?: string
  readonly entity: Entity<T['key'], T['row']>
  readonly containers: Containers<T>
  readonly containerIdOf: (key: T['key'] | T['row']) => string
  /** the region of a key, if containers have several */
  readonly regionOf?: (key: T['key']) => string
  /** the set of a container's keys */
  readonly setOf: (containerId: string) => string
  /** the family of the keys of a home, by their refs */
  readonly familyOf: (container: string, region: string) => string
  /** the action that lets a caller see the key */
  readonly viewOf: (key: T['key']) => string
  /** the key's name in audit records */
  readonly nameOf: (key: T['key']) => string
  /** the unit that no two sagas may change at once; default: the key, by its id */
  readonly subjectOf?: (key: T['key']) => string
  readonly auditView: (key: T['key']) => Readonly<Record<string, unknown>>
  /** whether the audit record of a key that was read without change shows it both before and after */
  readonly showsUnchanged?: true
  /** whether actions honour If-Match */
  readonly honoursIfMatch?: true
  readonly present: (stored: Stored<T['key']>, container: T['container'] | undefined) => Stored<T['shown']>
  /** @throws Refusal STATE_CONFLICT for a key that cannot be worked on at its cloud, such as one that is gone */
  readonly assertManaged: (key: T['key']) => void

  readonly cloud: CloudOf<T>
  /** the cloud's own name of a key within its home */
  readonly refOf: (key: T['key']) => string
  /** Opens the place at the cloud behind a home. @throws Refusal STATE_CONFLICT when the container lost its connection */
  readonly open: (domain: string, container: T['container'], how: Opening) => Promise<T['place']>
  /**
   * A key with everything that is recorded about it; `undefined` when its cloud does not have it.
   * @param known as for `read` of the cloud
   */
  readonly read: (place: T['place'], ref: string, ...known: readonly unknown[]) => Promise<T['whole'] | undefined>
  /** The same for a key that the adapter has just described. */
  readonly wholeOf: (place: T['place'], read: T['read']) => T['whole'] | Promise<T['whole']>
  /** The record of a key that this service created. Stages the dependent records. */
  readonly made: (
    context: Context,
    container: T['container'],
    whole: T['whole'],
    facts: NewKey,
  ) => T['key'] | Promise<T['key']>
  /**
   * The record updated with its cloud's description of the key, the same object when nothing changed. Stages the
   * dependent records.
   */
  readonly refreshed: (context: Context, key: T['key'], whole: T['whole'] | null) => T['key'] | Promise<T['key']>
  /** Stages the removal of the records that depend on a key's record. */
  readonly removed?: (context: Context, key: T['key']) => Promise<void>
  /** Writes changes of a key beforehand that do not fit into one transaction. */
  readonly beforehand?: (context: Context, key: T['key'], whole: T['whole'] | null) => Promise<void>
  /** Records facts about other keys that a reading after a refusal revealed. */
  readonly afterRefusal?: (context: Context, key: T['key'], whole: T['whole'] | null) => Promise<void>
  /** Disables a created key that cannot be finished. If absent, the key is not changed. Safe to repeat. */
  readonly withdraw?: (place: T['place'], ref: string) => Promise<unknown>
  /** Updates records after the cloud refused to create a key: another key may have its name. */
  readonly notMade?: (context: Context, home: Home, spec: T['spec']) => Promise<void>
  /** Description of a created key that cannot be read. If absent, such a key is not recorded. */
  readonly unreadable?: (container: T['container'], home: Home, ref: string, spec: T['spec']) => T['whole']
}

/** A kind of saga on keys, which returns a key as shown. */
export type KeySaga<T extends KeyTypes, Input extends object, Result> = SagaKind<Input, Result, T['shown'], T['row']>

/** Reads the keys that are the results of sagas finished without their caller. */
export const answeredKeys = <T extends KeyTypes>({
  entity,
  containers,
  containerIdOf,
  present,
}: KeyKind<T>): KeySaga<T, object, unknown>['entity'] => ({
  id: (key) => entity.id(key as T['key']), // the id of a key as shown is that of its record
  get: async (domain, id) => {
    const stored = await entity.get(domain, id)
    const container = stored && (await containers.entity.get(domain, containerIdOf(stored.item)))
    return stored && present(stored, container?.item)
  },
})
