import { loadedOf } from '../../base/room.ts'
import type { KeyKindUsed, UsedCertificate, UsedKey } from './inventory.ts'

/** Keys of one kind in one place. */
interface Place {
  readonly states: Map<string, number>
  count: number
  /** number of keys without an expiry */
  endless: number
  /** the latest expiry of a key */
  until: string | undefined
}

/** Keys of one kind, by place. */
export interface Tallied {
  readonly kind: KeyKindUsed
  readonly places: Map<string, Place>
}

export const nameOfKind = ({ algorithm, sizeBits, curve }: KeyKindUsed): string =>
  [algorithm, curve ?? (sizeBits || undefined)].filter((part) => part !== undefined).join('-')

function add({ places }: Tallied, where: string, { state, until }: UsedKey): void {
  const place = places.get(where) ?? { states: new Map<string, number>(), count: 0, endless: 0, until: undefined }
  places.set(where, place)
  place.count += 1
  place.states.set(state, (place.states.get(state) ?? 0) + 1)
  if (until === undefined) place.endless += 1
  else if (place.until === undefined || Date.parse(until) > Date.parse(place.until)) place.until = until
}

/**
 * The keys of a domain, counted by kind, and the certificates of its authorities. Reads the list rows of every key, one
 * page in memory at a time.
 */
export async function tallied(domain: string): Promise<{ kinds: Tallied[]; certificates: UsedCertificate[] }> {
  const kinds = new Map<string, Tallied>()
  const certificates: UsedCertificate[] = []
  for (const { where, keys, certificates: certified } of await loadedOf('inventory')) {
    for await (const page of keys?.(domain) ?? [])
      for (const key of page) {
        const { algorithm, sizeBits, curve } = key
        const name = nameOfKind(key)
        const known = kinds.get(name) ?? { kind: { algorithm, sizeBits, curve }, places: new Map<string, Place>() }
        kinds.set(name, known)
        add(known, where, key)
      }
    certificates.push(...((await certified?.(domain)) ?? []))
  }
  return { kinds: [...kinds.values()], certificates }
}
