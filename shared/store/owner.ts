import { ROOT_DOMAIN_ID } from '../base/ids.ts'
import { ownText } from '../base/json.ts'
import type { Changes } from './changes.ts'
import { itemKey } from './layout.ts'
import { getItem, text } from './table.ts'

/** The domain of an endpoint, by the id in its address. */
export interface StoredOwner {
  /** id of the endpoint */
  readonly id: string
  readonly domain: string
}

const written = (): Error => new Error('A write without a condition was refused')

const OWNER = ownText<StoredOwner>()

/**
 * Stages that an address refers to its endpoint. The data plane reads the item before it knows a domain, so the root
 * domain contains it. Ours: an item whose endpoint was deleted has no effect.
 * @param kind of the protocol's owner items
 */
export function leadToEndpoint(changes: Changes, kind: string, domain: string, id: string): void {
  const { pk, sk } = itemKey(ROOT_DOMAIN_ID, kind, id)
  const owner: StoredOwner = { id, domain }
  changes.plan({ put: { pk: { S: pk }, sk: { S: sk }, data: { S: OWNER.write(owner) } } }, written)
}

/** The domain of the endpoint at an address; `undefined` for an unknown address. One read. */
export async function ownerOf(kind: string, id: string): Promise<string | undefined> {
  const item = await getItem(itemKey(ROOT_DOMAIN_ID, kind, id))
  return item && OWNER.read(text(item, 'data')).domain
}

/** Stages that an address becomes unknown. */
export const forgetEndpoint = (changes: Changes, kind: string, id: string): void =>
  changes.plan({ remove: itemKey(ROOT_DOMAIN_ID, kind, id) }, written)
