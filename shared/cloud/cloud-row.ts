import type { Load, RoomRow } from '../base/room.ts'
import type { AclHolder } from '../identity/acl-holders.ts'
import type { Blockable } from '../emergency/targets.ts'
import type { SealedKind } from '../keyring/sealed-rows.ts'
import type { PurgeStep } from '../store/remove-some.ts'
import type { AnyConnectionKind } from './connections/kind.ts'
import type { ConnectionUser } from './connections/users-of.ts'

/** One kind of container: it has permissions and refers to a connection. */
export interface ContainerRow {
  readonly aclHolder: AclHolder
  readonly connectionUser: ConnectionUser
  readonly blockable: Blockable
  /**
   * number of containers in a domain, which block its deletion; absent for a container that is always within another
   */
  readonly countIn?: (domain: string) => Promise<number>
}

/** Facts about a cloud's records for other rooms: entities, but no SDK. */
export interface CloudRecords {
  readonly containers: readonly ContainerRow[]
  /** endpoints of its own that emergency blocks can name */
  readonly endpoints?: readonly Blockable[]
  /** Sealed values, by the names under which a domain key records the progress of resealing. */
  readonly sealed?: Readonly<Record<string, SealedKind>>
  /** number of keys on record in a domain */
  readonly countKeys: (domain: string) => Promise<number>
  /** Removes the data of a deleted domain: keys before their containers. */
  readonly purge: readonly PurgeStep[]
}

/**
 * Everything that distinguishes a cloud, as data. The row contains only names and loaders, so that a function that
 * needs a name loads no schema, SDK or verb. `infra/build.ts` leaves out of a bundle the modules that the function's
 * row in `infra/functions.ts` does not name.
 */
export interface OfferedCloud extends RoomRow {
  readonly isOffered: true
  readonly containerList: string
  readonly connection: Load<AnyConnectionKind>
  readonly records: Load<CloudRecords>
  /** Paths of its HTTP group below `/api`, besides `/v1/keymgr/<name>`. */
  readonly prefixes?: readonly string[]
  /** Its connections may have no credentials and use a role of the deployment instead. */
  readonly takesRuntimeRole?: true
}

/** A cloud that is known by name but refused as not offered yet. */
export interface AnnouncedCloud extends RoomRow {
  readonly isOffered: false
  readonly containerList: string
}

export type CloudRow = OfferedCloud | AnnouncedCloud

/** @throws Error, a fault, for a name that the records do not have */
async function sealedBy(records: Load<CloudRecords>, name: string): Promise<SealedKind> {
  const kind = (await records()).sealed?.[name]
  if (kind === undefined) throw new Error(`There is nothing to seal again named ${name}`)
  return kind
}

async function countContainers({ containers }: CloudRecords, domain: string): Promise<number> {
  const counts = await Promise.all(containers.map(async ({ countIn }) => (await countIn?.(domain)) ?? 0))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Completes the row of a cloud with the fields that follow from its records. */
export const defineCloud = ({
  records,
  sealedNames = [],
  ...row
}: Omit<OfferedCloud, 'isOffered'> & { readonly sealedNames?: readonly string[] }): OfferedCloud => ({
  ...row,
  records,
  isOffered: true,
  sealed: Object.fromEntries(sealedNames.map((name) => [name, () => sealedBy(records, name)])),
  purge: async () => (await records()).purge,
  aclHolders: async () => (await records()).containers.map(({ aclHolder }) => aclHolder),
  blockable: async () => {
    const { containers, endpoints = [] } = await records()
    return [...containers.map(({ blockable }) => blockable), ...endpoints]
  },
  connectionUsers: async () => (await records()).containers.map(({ connectionUser }) => connectionUser),
  contents: async () => {
    const known = await records()
    return [{ noun: 'container', done: 'removed', countIn: (domain) => countContainers(known, domain) }]
  },
})

export const announceCloud = (row: Omit<AnnouncedCloud, 'isOffered'>): AnnouncedCloud => ({ ...row, isOffered: false })

export const isOffered = (row: CloudRow): row is OfferedCloud => row.isOffered
