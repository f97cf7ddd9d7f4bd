import { Refusal } from '../../base/errors.ts'
import { freshKeyId, openFor, sealFor } from '../../keyring/domain-key.ts'
import { sealedUnder } from '../../keyring/sealing.ts'
import { SIGNING_KEY_PURPOSE } from '../../keyring/token-key.ts'
import { log } from '../../base/log.ts'
import { Changes, Stale } from '../../store/changes.ts'
import { connections } from '../../cloud/connections/store.ts'
import { customKeyStores, type StoredCustomKeyStore } from '../../clouds/cloud-a/key-stores/store.ts'
import { domainKeys, type StoredDomainKey } from '../../keyring/domain-key-store.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import { idsAfter } from '../../store/list.ts'
import { localKeys } from '../../vault/keys/store.ts'
import { signingKeys } from '../../keyring/signing-key-store.ts'
import { secretsPurpose } from '../../cloud/connections/open-connection.ts'
import { sealPurpose } from '../../vault/keys/seal-purpose.ts'
import { credentialPurpose } from '../../clouds/cloud-a/key-stores/identifiers.ts'

/**
 * Result of one page: the last id done, absent at the end of the kind, and the number of items that could not be
 * opened.
 */
interface Round {
  readonly after: string | undefined
  readonly failures: number
}
type ResealPage = (domain: string, after: string | undefined, now: Date) => Promise<Round>

const PAGE_ITEMS = 100
/** Reads of an item that other writers keep changing. After that the round ends and starts again at the next sweep. */
const READS_MOST = 5

/** Sealed bytes and their purpose. */
interface Sealing {
  readonly purpose: string[]
  readonly sealed: string
}

/** The sealed fields of a kind of item. */
interface Sealings<T> {
  of(item: T): readonly Sealing[]
  /** The item with all of them replaced, in the same order. */
  replaced(item: T, sealed: readonly string[]): T
}

/** Key stores: one in each credential. */
const inCredentials: Sealings<StoredCustomKeyStore> = {
  of: ({ credentials }) => credentials.map((one) => ({ purpose: credentialPurpose(one.id), sealed: one.sealed })),
  replaced: (store, sealed) => ({
    ...store,
    credentials: store.credentials.map((one, at) => ({ ...one, sealed: sealed[at] ?? one.sealed })),
  }),
}

function resealPage<T, R>(entity: Entity<T, R>, set: string, sealings: Sealings<T>): ResealPage {
  return async (domain, after, now) => {
    const ids = await idsAfter(entity, domain, set, after, PAGE_ITEMS)
    const keyId = await freshKeyId(domain)
    let failures = 0
    for (const stored of await entity.getMany(domain, ids)) {
      try {
        await resealOne(entity, domain, stored, sealings, keyId, now)
      } catch (error) {
        // An item that cannot be opened holds up no other. A failure of the table or the root key ends the round.
        if (!(error instanceof Refusal) || error.reason !== 'CIPHERTEXT_INVALID') throw error
        failures++
        log('error', 'a sealed item does not open', { domain, kind: entity.name, id: entity.id(stored.item) })
      }
    }
    return { after: ids.length < PAGE_ITEMS ? undefined : ids.at(-1), failures }
  }
}

/** For most kinds: at most one, in the field `sealed`. */
const resealField = <T extends { sealed?: string | undefined }, R>(
  entity: Entity<T, R>,
  set: string,
  purpose: (item: T) => string[],
): ResealPage =>
  resealPage(entity, set, {
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

/**
 * The kinds of items with sealed data, in the order of resealing. Answers stored for `Idempotency-Key` are not among
 * them: they expire in a day, and the former key still opens them.
 */
const ROUNDS: Readonly<Record<string, ResealPage>> = {
  'local-key latest': resealField(localKeys, 'latest', sealPurpose),
  'local-key former': resealField(localKeys, 'former', sealPurpose),
  connection: resealField(connections, 'all', secretsPurpose),
  'custom-key-store': resealPage(customKeyStores, 'all', inCredentials),
  'signing-key': resealField(signingKeys, 'all', ({ id }) => SIGNING_KEY_PURPOSE(id)),
}
const NAMES = Object.keys(ROUNDS)
export const FIRST_RESEALED = NAMES[0] ?? ''

/**
 * Reseals the data of a domain's former key, page by page. The key's record holds the progress, so that a stop costs at
 * most one page. Safe to run twice at once.
 * @param hasTime asked after each page: whether there is time for another
 */
export async function resealDomain(domain: string, keyId: string, now: Date, hasTime: () => boolean): Promise<void> {
  for (;;) {
    const stored = await domainKeys.get(domain, keyId)
    if (stored?.item.state !== 'resealing' || stored.item.reseal === undefined) return
    const next = await afterRound(domain, stored.item, stored.item.reseal, now)
    const changes = new Changes()
    changes.update(domainKeys, domain, stored, next)
    await changes.commit(now)
    if (!hasTime()) return
  }
}

async function afterRound(
  domain: string,
  key: StoredDomainKey,
  reseal: NonNullable<StoredDomainKey['reseal']>,
  now: Date,
): Promise<StoredDomainKey> {
  const sealPage = ROUNDS[reseal.entity]
  if (sealPage === undefined) throw new Error(`There is nothing to seal again named ${reseal.entity}`)
  const round = await sealPage(domain, reseal.after, now)
  const failures = reseal.failures + round.failures
  if (round.after !== undefined) return { ...key, reseal: { ...reseal, failures, after: round.after } }
  const { after: _, ...rest } = reseal
  const following = NAMES[NAMES.indexOf(reseal.entity) + 1]
  if (following !== undefined) return { ...key, reseal: { ...rest, failures, entity: following } }
  const { reseal: __, ...done } = key
  return { ...done, state: failures > 0 ? 'failed' : 'retired' }
}
