import type { Inventory } from '../audit/cbom/inventory.ts'
import type { AclHolder } from '../identity/acl-holders.ts'
import type { SealedKind } from '../keyring/sealed-rows.ts'
import type { SweepRow } from '../store/due.ts'
import type { PurgeStep } from '../store/remove-some.ts'
import type { KeyUser } from '../vault/keys/lifecycle/key-users.ts'
import type { Load, WorkRow } from '../work/work-row.ts'
import type { ExpiringKeys } from './keys/expiring.ts'
import type { AnyConnectionKind } from './connections/kind.ts'
import type { ConnectionUser } from './connections/users-of.ts'

/** One kind of container: it has permissions and refers to a connection. */
export interface ContainerRow {
  readonly aclHolder: AclHolder
  readonly connectionUser: ConnectionUser
  /** how many a domain has, which cannot be deleted then; absent for a container that is always within another */
  readonly countIn?: (domain: string) => Promise<number>
}

/** Facts about a cloud's records for other rooms: entities, and no SDK. */
export interface CloudRecords {
  readonly containers: readonly ContainerRow[]
  /** Sealed values, by the names under which a domain key notes how far sealing again has come. */
  readonly sealed?: Readonly<Record<string, SealedKind>>
  /** how many keys are on record in a domain */
  readonly countKeys: (domain: string) => Promise<number>
  /** Clears away what a deleted domain had: keys before their containers. */
  readonly purge: readonly PurgeStep[]
}

/**
 * All that is particular about a cloud, as data. The row is light: names and loaders, so that a function which needs a name
 * loads no schema, SDK or verb. `infra/build.ts` leaves out of a bundle the modules that the function's row in
 * `infra/functions.ts` does not name.
 */
export interface OfferedCloud extends WorkRow {
  readonly isOffered: true
  readonly containerList: string
  readonly connection: Load<AnyConnectionKind>
  readonly records: Load<CloudRecords>
  /** Its keys by kind, for the cryptographic bill of materials. */
  readonly inventory?: Load<Inventory>
  /** Its keys that have an end. */
  readonly expiring?: Load<ExpiringKeys>
  /** Its uses of local keys. */
  readonly keyUser?: Load<KeyUser>
  /** Names of its sealed values. */
  readonly sealedNames?: readonly string[]
  readonly sweeps?: Load<readonly SweepRow[]>
  /** Paths of its HTTP group below `/api`, beside `/v1/keymgr/<name>`. */
  readonly prefixes?: readonly string[]
  /** Its connections may have no credentials and enter through a role of the deployment's own. */
  readonly takesRuntimeRole?: true
}

/** A cloud whose name is known, and refused as not offered yet. */
export interface AnnouncedCloud extends WorkRow {
  readonly isOffered: false
  readonly containerList: string
}

export type CloudRow = OfferedCloud | AnnouncedCloud

export const defineCloud = (row: Omit<OfferedCloud, 'isOffered'>): OfferedCloud => ({ ...row, isOffered: true })

export const announceCloud = (row: Omit<AnnouncedCloud, 'isOffered'>): AnnouncedCloud => ({ ...row, isOffered: false })

export const isOffered = (row: CloudRow): row is OfferedCloud => row.isOffered
