import { randomBytes, type KeyObject } from 'node:crypto'
import { pkcs8Of, pooledRsa, privateKeyOf } from '../../toolkit/key-pairs.ts'
import type { SimulatorSetting } from '../../toolkit/simulator.ts'
import { createKeyStoreShelf } from './key-store-shelf.ts'
import type { CloudState, Delays } from './cloud-state.ts'
import { openJournal, type Entry, type HeldAlias } from './journal.ts'
import { generateMaterial, specRow } from '../keys/key-specs.ts'
import { materialId, type HeldKey, type Material } from '../keys/keys.ts'
import { settle } from './passing-time.ts'
import { partitionOfRegion } from '../accounts/regions.ts'
import { createTrust } from '../authentication/trust-anchors.ts'
import { createShelf, type Shelf } from './shelves.ts'

const DEFAULT_DELAYS: Delays = { hidden: 0, transit: 2, rotation: 2, connection: 2 }

/** @param options.file stores the state; default: in memory only */
export function openState({ clock, file }: Pick<SimulatorSetting, 'clock' | 'file'>): CloudState {
  const entries: Entry[] = []
  const journal = openJournal(file, (entry) => entries.push(entry))
  const shelf = shelvesOf(entries)
  const secret = entries.find((entry) => entry.kind === 'secret')?.secret ?? randomBytes(32)
  if (entries.length === 0) journal.write([{ kind: 'secret', secret }])
  let delays = DEFAULT_DELAYS

  const state: CloudState = {
    now: () => clock.now().getTime(),
    delays: () => delays,
    setDelays: (changed) => {
      delays = { ...delays, ...changed }
    },
    secret,
    shelf,
    ...createKeyStoreShelf({ entries, now: () => state.now(), write: journal.write }),
    key: (account, region, id) => {
      const key = shelf(account, region).keys.get(id)
      if (key !== undefined) settle(state, key)
      return shelf(account, region).keys.get(id)
    },
    alias: (account, region, name) => {
      const { aliases } = shelf(account, region)
      const alias = aliases.get(name)
      if (alias !== undefined) state.key(account, region, alias.target) // removes an expired key and its aliases
      return aliases.get(name)
    },
    save: (keys, aliases = []) => {
      for (const [place, held] of byShelf(shelf, keys, aliases)) place.put(held.keys, held.aliases)
      journal.write([
        ...keys.map((key) => ({ kind: 'key' as const, key })),
        ...aliases.map((alias) => ({ kind: 'alias' as const, alias })),
      ])
    },
    remove: (key) => {
      const { account, region, id } = key
      for (const name of [...key.aliases]) journal.write([{ kind: 'no-alias', account, region, name }])
      journal.write([{ kind: 'no-key', account, region, id }])
      shelf(account, region).takeKey(key)
    },
    removeAlias: (alias) => {
      const { account, region, name } = alias
      journal.write([{ kind: 'no-alias', account, region, name }])
      shelf(account, region).takeAlias(alias)
    },
    relatives: ({ account, id, region, multiRegion }) =>
      (multiRegion?.regions ?? [])
        .filter((other) => other !== region)
        .flatMap((other) => shelf(account, other).keys.get(id) ?? []),
    bytesOf: (key, material) => bytesOf(state, key, material),
    wrappingKey: wrappingKeys(entries, (spec, key) =>
      journal.write([{ kind: 'wrapping-key', spec, pkcs8: pkcs8Of(key) }]),
    ),
    trustOf: createTrust(
      entries.filter((entry) => entry.kind === 'trust-anchor'),
      (held) => journal.write([{ kind: 'trust-anchor', ...held }]),
    ),
    close: journal.close,
  }
  return state
}

async function bytesOf(state: CloudState, key: HeldKey, material: Material): Promise<Buffer> {
  if (material.lazy) {
    const made = await generateMaterial(specRow(key.spec), partitionOfRegion(key.region).symmetricBytes)
    takeMade(key, material, made)
    state.save([key])
  }
  if (material.bytes === undefined) throw new Error(`The key ${key.id} has no material.`)
  return material.bytes
}

function takeMade(key: HeldKey, material: Material, bytes: Buffer): void {
  if (!material.lazy) return // a concurrent call was faster
  material.bytes = bytes
  material.id = materialId(key.id, bytes)
  material.lazy = false
}

/** @returns finds a shelf, or creates an empty one */
function shelvesOf(entries: readonly Entry[]): CloudState['shelf'] {
  const shelves = new Map<string, Shelf>()
  const shelf = (account: string, region: string) => {
    const name = `${account} ${region}`
    const found = shelves.get(name) ?? createShelf(account, region)
    shelves.set(name, found)
    return found
  }
  const keys = entries.flatMap((entry) => (entry.kind === 'key' ? [entry.key] : []))
  const aliases = entries.flatMap((entry) => (entry.kind === 'alias' ? [entry.alias] : []))
  for (const [place, held] of byShelf(shelf, keys, aliases)) place.put(held.keys, held.aliases)
  return shelf
}

function byShelf(shelf: CloudState['shelf'], keys: readonly HeldKey[], aliases: readonly HeldAlias[]) {
  const groups = new Map<Shelf, { keys: HeldKey[]; aliases: HeldAlias[] }>()
  const groupOf = ({ account, region }: { account: string; region: string }) => {
    const place = shelf(account, region)
    const group = groups.get(place) ?? { keys: [], aliases: [] }
    groups.set(place, group)
    return group
  }
  for (const key of keys) groupOf(key).keys.push(key)
  for (const alias of aliases) groupOf(alias).aliases.push(alias)
  return groups
}

/** @param note called with each new key */
function wrappingKeys(entries: readonly Entry[], note: (spec: string, key: KeyObject) => void) {
  const own = new Map<string, KeyObject>()
  for (const entry of entries) {
    if (entry.kind !== 'wrapping-key') continue
    own.set(entry.spec, privateKeyOf(entry.pkcs8))
  }
  return async (spec: string): Promise<KeyObject> => {
    const key = own.get(spec) ?? (await pooledRsa(spec, specRow(spec).modulusBits ?? 0))
    if (!own.has(spec)) note(spec, key)
    own.set(spec, key)
    return key
  }
}
