import { Refusal } from '../base/errors.ts'
import { log } from '../base/log.ts'
import { freshKeyId, openFor, sealFor } from './domain-key.ts'
import { sealedUnder } from './sealing.ts'
import { Changes, Stale } from '../store/changes.ts'
import type { Entity, Stored } from '../store/entity.ts'
import { idsAfter } from '../store/list.ts'
import type { SealedKind } from './sealed-rows.ts'

const PAGE_ITEMS = 100
/**
 * Most reads of an item that other writers keep changing. After that the round ends and starts again at the next sweep.
 */
const READS_MOST = 5

/** Sealed bytes and their purpose. */
interface Sealing {
  readonly purpose: string[]
  readonly sealed: string
}

/** The sealed fields of a kind of item. */
export interface Sealings<T> {
  of(item: T): readonly Sealing[]
  /** The item with all of them replaced, in the same order. */
  replaced(item: T, sealed: readonly string[]): T
}

export function sealingAgain<T, R>(entity: Entity<T, R>, set: string, sealings: Sealings<T>): SealedKind {
  return async (domain, after, now) => {
    const ids = await idsAfter(entity, domain, set, after, PAGE_ITEMS)
    const keyId = await freshKeyId(domain)
    let failures = 0
    for (const stored of await entity.getMany(domain, ids, 'salvage')) {
      if (stored.damage !== undefined) {
        failures++ // reported by the read
        continue
      }
      try {
        await resealOne(entity, domain, stored, sealings, keyId, now)
      } catch (error) {
        // An item that cannot be read or opened does not stop the others. A failure of the table or the root key ends the
        // round.
        if (!(error instanceof Refusal) || error.reason !== 'CIPHERTEXT_INVALID') throw error
        failures++
        log('error', 'a sealed item does not open', { domain, kind: entity.name, id: entity.id(stored.item) })
      }
    }
    return { after: ids.length < PAGE_ITEMS ? undefined : ids.at(-1), failures }
  }
}

/** For most kinds: at most one sealed value, in the field `sealed`. */
export const sealingFieldAgain = <T extends { sealed?: string | undefined }, R>(
  entity: Entity<T, R>,
  set: string,
  purpose: (item: T) => string[],
): SealedKind =>
  sealingAgain(entity, set, {
    of: (item) => (item.sealed === undefined ? [] : [{ purpose: purpose(item), sealed: item.sealed }]),
    replaced: (item, [sealed]) => ({ ...item, sealed }),
  })

/** Reseals one item. */
async function resealOne<T, R>(
  entity: Entity<T, R>,
  domain: string,
  first: Stored<T>,
  sealings: Sealings<T>,
  keyId: string,
  now: Date,
): Promise<void> {
  let stored: Stored<T> | undefined = first
  for (let read = 0; stored !== undefined && read < READS_MOST; read++) {
    const { item }: Stored<T> = stored
    const former = sealings.of(item)
    if (former.every(({ sealed }) => sealedUnder(sealed) === keyId)) return
    const anew = await Promise.all(former.map((sealing) => resealed(domain, sealing)))
    const changes = new Changes()
    changes.update(entity, domain, stored, sealings.replaced(item, anew))
    try {
      return await changes.commit(now)
    } catch (error) {
      if (!(error instanceof Stale)) throw error
    }
    stored = await entity.get(domain, entity.id(item))
  }
  if (stored !== undefined) throw new Stale('Others kept changing an item that is to be sealed again')
}

async function resealed(domain: string, { purpose, sealed }: Sealing): Promise<string> {
  const clear = await openFor(domain, purpose, sealed)
  try {
    return await sealFor(domain, purpose, clear)
  } finally {
    clear.fill(0)
  }
}
