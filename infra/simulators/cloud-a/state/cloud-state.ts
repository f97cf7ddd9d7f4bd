import type { KeyObject } from 'node:crypto'
import type { HeldAlias } from './journal.ts'
import type { KeyStoreShelf } from './key-store-shelf.ts'
import type { HeldKey, Material } from '../keys/keys.ts'
import type { HeldTrust } from '../authentication/trust-anchors.ts'
import type { Shelf } from './shelves.ts'

/** How long changes take to become visible, in reads of the key concerned. */
export interface Delays {
  /** Number of reads that do not find a new key yet. */
  readonly hidden: number
  /** Number of reads that still see a replica Creating, or a key Updating. */
  readonly transit: number
  /** Number of reads that still see a rotation on demand in progress. */
  readonly rotation: number
  /** Number of reads that still see a key store Connecting or Disconnecting. */
  readonly connection: number
}

/** The whole state of the simulated cloud, and the journal that stores it. */
export interface CloudState extends KeyStoreShelf {
  readonly now: () => number
  readonly delays: () => Delays
  readonly setDelays: (delays: Partial<Delays>) => void
  /** MAC key of sessions and import tokens. */
  readonly secret: Buffer
  readonly shelf: (account: string, region: string) => Shelf
  /** The key in its present state; `undefined` also when its waiting period has ended. */
  readonly key: (account: string, region: string, id: string) => HeldKey | undefined
  readonly alias: (account: string, region: string, name: string) => HeldAlias | undefined
  /** Stores new or changed keys and aliases, of one shelf or of several. */
  readonly save: (keys: readonly HeldKey[], aliases?: readonly HeldAlias[]) => void
  /** Removes the key with its aliases. */
  readonly remove: (key: HeldKey) => void
  readonly removeAlias: (alias: HeldAlias) => void
  /** The same key in its other regions, in the state of the last read there. */
  readonly relatives: (key: HeldKey) => HeldKey[]
  /** Bytes of existing material, generated now if it is lazy. */
  readonly bytesOf: (key: HeldKey, material: Material) => Promise<Buffer>
  /** The private key of the wrapping key pair of this size. */
  readonly wrappingKey: (spec: string) => Promise<KeyObject>
  /** The trust anchor of an account, and the identity that it certifies. */
  readonly trustOf: (account: string) => HeldTrust
  readonly close: () => void
}
