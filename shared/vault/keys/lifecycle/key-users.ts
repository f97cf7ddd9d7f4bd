import { Refusal } from '../../../base/errors.ts'
import { loadedOf, type Load } from '../../../base/room.ts'
import type { Caller, Context } from '../../../http/context.ts'
import type { Changes } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import type { StoredLocalKey } from '../store.ts'

declare module '../../../base/room.ts' {
  interface RoomRow {
    /** Its uses of local keys. */
    readonly keyUser?: Load<KeyUser>
  }
}

/** Records of one kind that use a key, such as 2 of `hosted key`. */
export interface KeyUse {
  readonly noun: string
  readonly count: number
  /** names of those that the caller may see; a few of many */
  readonly names?: readonly string[]
  /** They have a copy of the material: a passport lists how each of them got it. */
  readonly haveCopies?: true
}

/** Ours: more names make no refusal clearer. */
export const NAMED_MOST = 5

/** Anything outside the vault that uses local keys: the keys and key stores of a cloud, the endpoints of a protocol. */
export interface KeyUser {
  /** Its uses of a key, or of these very versions of it. */
  readonly usesOf: (
    context: Pick<Context, 'caller' | 'uses'>,
    name: string,
    versions: readonly Stored<StoredLocalKey>[],
  ) => Promise<KeyUse[]>
  /** How many hosted keys stand over a key: those keep its virtual key. */
  readonly hostedOver?: (domain: string, name: string) => Promise<number>
  /** Whether a caller may see hosted keys somewhere, and with them the virtual keys that they could stand over. */
  readonly maySeeHosted?: (caller: Caller) => Promise<boolean>
  /**
   * Stages the changes that a new version brings.
   * @throws Refusal STATE_CONFLICT, RULE_BROKEN when its records could not go on with the version
   */
  readonly follow?: (
    context: Pick<Context, 'caller' | 'changes' | 'now' | 'once'>,
    former: StoredLocalKey,
    next: StoredLocalKey,
  ) => Promise<void>
  /** Stages that its index rows of a version go, when the domain of the key is purged. */
  readonly forget?: (changes: Changes, versionId: string) => void
}

/** Every user of local keys, loaded. */
export const loadedKeyUsers = (): Promise<KeyUser[]> => loadedOf('keyUser')

/** Whether policies let the caller read a record, as far as its fields and address tell. */
export function mayRead({ uses }: Pick<Context, 'uses'>, action: string, record: { readonly uri: string }): boolean {
  try {
    uses(action, record)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}
