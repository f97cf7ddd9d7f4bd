import type { Load } from '../base/room.ts'
import type { Changes } from '../store/changes.ts'

declare module '../base/room.ts' {
  interface RoomRow {
    /** The room's kinds of record that have permissions. */
    readonly aclHolders?: Load<readonly AclHolder[]>
  }
}

/** The actions of one user or one group on a container. */
export interface Acl {
  user_id?: string | undefined
  group?: string | undefined
  actions: string[]
}

/** A user or a group of a domain, as named in permissions of containers. */
export type Principal = Pick<Acl, 'user_id' | 'group'>

/** Containers whose permissions name a principal. */
export interface AclEntries {
  /** total number; at least some of them can be changed */
  readonly total: number
  /** Stages the replacement of each entry. */
  readonly stage: (changes: Changes, updatedAt: string, entriesOf: (acl: Acl) => Acl[]) => void
}

/** Finds the containers of one kind whose permissions name a principal. */
export type AclHolder = (domain: string, who: Principal) => Promise<AclEntries>
