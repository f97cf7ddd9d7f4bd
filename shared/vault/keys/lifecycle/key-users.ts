import { Refusal } from '../../../base/errors.ts'
import { loadedOf, type Load } from '../../../base/room.ts'
import type { Caller, Context } from '../../../http/context.ts'
import type { Changes } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import { localKeys, type StoredLocalKey } from '../store.ts'

declare module '../../../base/room.ts' {
  interface RoomRow {
    /** Its uses of local keys. */
    readonly keyUser?: Load<KeyUser>
  }
}

/** Records of one kind that use a key, such as 2 records of the kind `hosted key`. */
export interface KeyUse {
  readonly noun: string
  readonly count: number
  /** names of those that the caller may see; a few of them if there are many */
  readonly names?: readonly string[]
  /** ids of the endpoints whose data planes use the key for those that have a name */
  readonly endpoints?: readonly string[]
  /** set if they have a copy of the material: a passport lists how each of them got it */
  readonly haveCopies?: true
}

/** Ours: more names would not make a refusal clearer. */
export const NAMED_MOST = 5

/** Anything outside the vault that uses local keys: the keys and key stores of a cloud, the endpoints of a protocol. */
export interface KeyUser {
  /** Its uses of a key, or of exactly these versions. */
  readonly usesOf: (
    context: Pick<Context, 'caller' | 'uses'>,
    name: string,
    versions: readonly Stored<StoredLocalKey>[],
  ) => Promise<KeyUse[]>
  /** Number of hosted keys over a key: a virtual key with any cannot be deleted. */
  readonly hostedOver?: (domain: string, name: string) => Promise<number>
  /** Whether a caller may see hosted keys in any container, and therefore the virtual keys that they could use. */
  readonly maySeeHosted?: (caller: Caller) => Promise<boolean>
  /**
   * Stages the changes that a new version causes: a few of them, and work that begins after the commit for many.
   * @throws Refusal STATE_CONFLICT, RULE_BROKEN when its records could not use the version
   */
  readonly follow?: (
    context: Pick<Context, 'caller' | 'changes' | 'now' | 'once' | 'afterCommit'>,
    former: StoredLocalKey,
    next: StoredLocalKey,
  ) => Promise<void>
  /** Stages the removal of its index rows for a version, when the domain of the key is purged. */
  readonly forget?: (changes: Changes, versionId: string) => void
}

/**
 * Stages that a use of a key begins, with the key as it was read: its revision changes, and every end of a key is
 * conditional on the revision. So the later one of the two runs again, and is refused. Records that name a version in a
 * family do the same by `usedVersion`.
 */
export const beginUse = ({ caller, changes }: Pick<Context, 'caller' | 'changes'>, key: Stored<StoredLocalKey>): void =>
  changes.update(localKeys, caller.domain.id, key, key.item)

/** Every user of local keys, loaded. */
export const loadedKeyUsers = (): Promise<KeyUser[]> => loadedOf('keyUser')

/** Whether policies let the caller read a record, as far as its fields and address decide. */
export function mayRead({ uses }: Pick<Context, 'uses'>, action: string, record: { readonly uri: string }): boolean {
  try {
    uses(action, record)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}
