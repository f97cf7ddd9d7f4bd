import type { KeyObject } from 'node:crypto'
import type { HeldAlias } from './journal.ts'
import type { KeyStoreShelf } from './key-store-shelf.ts'
import type { HeldKey, Material } from '../keys/keys.ts'
import type { Shelf } from './shelves.ts'
import type { HeldTrust } from '../authentication/trust-anchors.ts'

/** How long the cloud takes to catch up with itself, in reads of the key concerned. */
export interface Delays {
  /** Reads that do not find a new key yet. */
  readonly hidden: number
  /** Reads that still see a replica Creating, or a key Updating. */
  readonly transit: number
  /** Reads that still see a rotation on demand under way. */
  readonly rotation: number
  /** Reads that still see a key store Connecting or Disconnecting. */
  readonly connection: number
}

/** All that the simulated cloud holds, and the journal it is written down in. */
export interface CloudState extends KeyStoreShelf {
  readonly now: () => number
  readonly delays: () => Delays
  readonly setDelays: (delays: Partial<Delays>) => void
  /** MAC key of sessions and import tokens. */
  readonly secret: Buffer
  readonly shelf: (account: string, region: string) => Shelf
  /** The key as it is now; `undefined` also when its time has come. */
  readonly key: (account: string, region: string, id: string) => HeldKey | undefined
  readonly alias: (account: string, region: string, name: string) => HeldAlias | undefined
  /** Stores new or changed keys and aliases, of one shelf or of many. */
  readonly save: (keys: readonly HeldKey[], aliases?: readonly HeldAlias[]) => void
  /** Takes the key away with its aliases. */
  readonly remove: (key: HeldKey) => void
  readonly removeAlias: (alias: HeldAlias) => void
  /** The same key in the other regions it is in, as it was when last looked at there. */
  readonly relatives: (key: HeldKey) => HeldKey[]
  /** Bytes of existing material, generated now if it is lazy. */
  readonly bytesOf: (key: HeldKey, material: Material) => Promise<Buffer>
  /** The private half of the one wrapping key of this size. */
  readonly wrappingKey: (spec: string) => Promise<KeyObject>
  /** The trust anchor of an account, and the identity that it certifies. */
  readonly trustOf: (account: string) => HeldTrust
  readonly close: () => void
}
