import type { Entity, Stored } from '../../store/entity.ts'
import { differences } from '../../base/fields.ts'
import type { Acl, AclChange } from './acl-model.ts'
import type { ViewOf } from './acl.ts'

/** Fields that the record of every container has. */
export interface StoredContainer {
  readonly id: string
  readonly uri: string
  readonly acls: Acl[]
  readonly updatedAt: string
  /** name of its connection; absent, like the id, after the connection was deleted by force */
  readonly connection?: string | undefined
  readonly connection_id?: string | undefined
  /** of containers whose keys have digests: the latest synchronization that read all of their records */
  readonly records_read_at?: string | undefined
}
export type ContainerRow = Pick<StoredContainer, 'acls' | 'connection' | 'connection_id'>

/**
 * A kind of container, as the shared verbs need it: `T` is the record, `R` its list row, `Shown` the container as
 * callers see it.
 */
export interface ContainerKind<T extends StoredContainer, R extends ContainerRow, Shown> {
  readonly entity: Entity<T, R>
  /** its name in sentences, such as `key ring` */
  readonly noun: string
  readonly nameOf: (container: T) => string
  /** the unique value by which requests may name it, besides its id */
  readonly namedBy: string
  /** Set if names are not unique: a reference that matches several containers is refused. */
  readonly sharedNames?: {
    /** ids of the containers that match a reference */
    readonly idsOf: (domain: string, reference: string) => Promise<readonly string[]>
    /** how to identify one of them other than by id */
    readonly orAs: string
  }
  /** a caller with any of these actions may see it */
  readonly views: readonly string[]
  readonly viewOf: ViewOf
  /** a change of permissions, with outdated action names replaced */
  readonly kept?: (change: AclChange) => AclChange
  /** fields that audit records show */
  readonly audited: readonly (keyof T & string)[]
  /** its regions, if it has several; a key lives in one of them */
  readonly regions?: (container: T) => readonly string[]
  readonly present: (container: T) => Shown
  /** @throws Refusal STATE_CONFLICT for a container that cannot be worked in, such as an archived one */
  readonly assertActive?: (container: T) => void
}

/** The name in a sentence: `The key ring main`. */
export const called = <T extends StoredContainer, R extends ContainerRow, S>(
  { noun, nameOf }: ContainerKind<T, R, S>,
  container: T,
): string => `The ${noun} ${nameOf(container)}`

export const presented = <T extends StoredContainer, R extends ContainerRow, S>(
  { present }: ContainerKind<T, R, S>,
  { item, rev }: Stored<T>,
): Stored<S> => ({ item: present(item), rev })

/** The change as an audit record shows it. */
export const changesTold = <T extends StoredContainer, R extends ContainerRow, S>(
  { audited }: ContainerKind<T, R, S>,
  before: Partial<T>,
  after: Partial<T>,
): { before: Record<string, unknown>; after: Record<string, unknown> } => differences<T>(before, after, audited)
