import { Refusal, ruleBroken } from '../base/errors.ts'
import { accountOf, ROOT_DOMAIN_ID } from '../base/ids.ts'
import { loadedOf, onlyOf, rooms, type Load } from '../base/room.ts'
import type { Caller } from '../http/context.ts'
import { domains } from '../identity/domains/store.ts'
import type { Entity } from '../store/entity.ts'
import { WIDE_KINDS, type BlockedKind } from './board.ts'

declare module '../base/room.ts' {
  interface RoomRow {
    /** Its endpoints and containers that can be blocked. A row with them can be blocked itself, by its name. */
    readonly blockable?: Load<readonly Blockable[]>
    /** Finds a local key by name or id. */
    readonly blockableKey?: Load<(caller: Caller, reference: string) => Promise<Target | undefined>>
  }
}

/** The target of a block. `target`: as decisions compare it. */
export interface Target {
  readonly target: string
  readonly target_name: string
  readonly target_uri?: string
}

interface Named {
  readonly uri: string
  readonly name: string
}

/** One kind of records that can be blocked by id. */
export interface Blockable {
  readonly kind: 'endpoint' | 'container'
  readonly find: (domain: string, id: string) => Promise<Named | undefined>
}

export const blockable = <T extends Named, R>(kind: Blockable['kind'], entity: Entity<T, R>): Blockable => ({
  kind,
  find: async (domain, id) => (await entity.get(domain, id))?.item,
})

/** The form of an id of this service: the table is not asked for others. */
const ID = /^[\w-]{1,100}$/

async function recordOf(kind: Blockable['kind'], { domain }: Caller, id: string): Promise<Target | undefined> {
  if (!ID.test(id)) return undefined
  const all = (await loadedOf('blockable')).flat().filter((one) => one.kind === kind)
  const found = (await Promise.all(all.map(({ find }) => find(domain.id, id)))).find((one) => one !== undefined)
  return found && { target: id, target_name: found.name, target_uri: found.uri }
}

/** Names of the clouds and protocols that can be blocked. */
const cloudNames = (): string[] => rooms().flatMap(({ name, blockable: own }) => (own === undefined ? [] : [name]))

async function domainOf(reference: string): Promise<Target | undefined> {
  const byId = ID.test(reference) ? await domains.get(ROOT_DOMAIN_ID, reference) : undefined
  const found = byId ?? (await domains.find(ROOT_DOMAIN_ID, 'name', reference))
  return found && { target: found.item.id, target_name: found.item.name, target_uri: accountOf(found.item.id) }
}

/** The kinds of things that can be blocked, each with the look-up of one. */
const FIND: Readonly<Record<BlockedKind, (caller: Caller, reference: string) => Promise<Target | undefined>>> = {
  key: async (caller, reference) => (await onlyOf('blockableKey'))(caller, reference),
  endpoint: (caller, reference) => recordOf('endpoint', caller, reference),
  container: (caller, reference) => recordOf('container', caller, reference),
  cloud: (_caller, reference) => {
    if (cloudNames().includes(reference)) return Promise.resolve({ target: reference, target_name: reference })
    throw ruleBroken('target', `must be one of ${cloudNames().join(', ')}`)
  },
  domain: (_caller, reference) => domainOf(reference),
}

/**
 * What a body names, in the caller's domain. @throws Refusal ACTION_DENIED for a cloud or domain unless the caller is in
 * the root domain, NOT_FOUND, RULE_BROKEN for an unknown cloud
 */
export async function findTarget(caller: Caller, kind: BlockedKind, reference: string): Promise<Target> {
  if (WIDE_KINDS.includes(kind) && caller.domain.id !== ROOT_DOMAIN_ID)
    throw new Refusal('ACTION_DENIED', 'Only administrators of the root domain block a cloud or a domain.')
  const found = await FIND[kind](caller, reference)
  if (found !== undefined) return found
  throw new Refusal('NOT_FOUND', `There is no such ${kind}.`, {
    errors: [{ pointer: '#/target', detail: `names no ${kind} of this domain` }],
  })
}
