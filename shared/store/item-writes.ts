import type { EntityDefinition } from './entity.ts'
import { duePartition, familyKey, guardKey, itemKey, type Key, type UsedItem } from './layout.ts'
import type { Attributes, Write } from './table.ts'

export const keyAttributes = ({ pk, sk }: Key): Attributes => ({ pk: { S: pk }, sk: { S: sk } })

/** An item as the table has it. @param rev revision that it replaces; `undefined` for a new item */
export function itemAttributes<T, R>(
  entity: EntityDefinition<T, R>,
  domain: string,
  item: T,
  rev: number | undefined,
): Attributes {
  const due = entity.due?.(item)
  return {
    ...keyAttributes(itemKey(domain, entity.name, entity.id(item))),
    rev: { N: String((rev ?? 0) + 1) },
    data: { S: JSON.stringify(item) },
    ...(due && {
      due: { S: due.spread ? duePartition(due.what, domain) : due.what },
      due_at: { S: due.at },
    }),
  }
}

/** The condition that an item still has a revision, or is still absent. */
export function unchanged(rev: number | undefined): { condition: string; values?: Attributes } {
  return rev === undefined
    ? { condition: 'attribute_not_exists(pk)' }
    : { condition: 'rev = :rev', values: { ':rev': { N: String(rev) } } }
}

interface Place extends Key {
  readonly exclusive: boolean
  readonly digest: string | undefined
  readonly uses: UsedItem | undefined
}

/** A member of a family as the table has it. */
export const memberAttributes = ({ digest, ...key }: Key & Pick<Place, 'digest'>, id: string): Attributes => ({
  ...keyAttributes(key),
  holder: { S: id },
  ...(digest !== undefined && { digest: { S: digest } }),
})

/** The places in families that an item leaves and enters, and those it keeps under another digest. */
export function familyMoves<T, R>(
  { name, families }: EntityDefinition<T, R>,
  domain: string,
  was: T | undefined,
  after: T | undefined,
): { left: Place[]; entered: Place[]; renewed: Place[] } {
  const placesOf = (item: T | undefined): Place[] =>
    (item === undefined ? [] : (families?.(item) ?? [])).map((family) => ({
      ...familyKey(domain, name, family),
      exclusive: family.exclusive === true,
      digest: family.digest,
      uses: family.uses,
    }))
  const isSame = (a: Key) => (b: Key) => a.pk === b.pk && a.sk === b.sk
  const [before, now] = [placesOf(was), placesOf(after)]
  return {
    left: before.filter((one) => !now.some(isSame(one))),
    entered: now.filter((one) => !before.some(isSame(one))),
    renewed: now.filter((one) => before.some((was) => isSame(one)(was) && was.digest !== one.digest)),
  }
}

/** Passes a unique value from one holder to another, if it still has the first one. @param from `undefined`: it has none */
export function holderWrite(key: Key, from: string | undefined, to: string | undefined): Write {
  const isHeld = { condition: 'holder = :from', values: { ':from': { S: from ?? '' } } }
  if (to === undefined) return { remove: key, ...isHeld }
  const put = { ...keyAttributes(key), holder: { S: to } }
  return from === undefined ? { put, condition: 'attribute_not_exists(pk)' } : { put, ...isHeld }
}

/**
 * Writes of the unique values of a damaged item, whose recorded values may be wrong: each requires that the item holds
 * the value, or that no item does.
 */
export function ownGuards<T, R>(
  { name, unique }: EntityDefinition<T, R>,
  domain: string,
  id: string,
  was: T | undefined,
  after: T | undefined,
): Write[] {
  const keysOf = (item: T | undefined): Key[] =>
    Object.entries((item !== undefined && unique?.(item)) || {}).flatMap(([kind, values]) =>
      values.map((value) => guardKey(domain, name, kind, value)),
    )
  const wanted = keysOf(after)
  const left = keysOf(was).filter(({ pk }) => !wanted.some((one) => one.pk === pk))
  const isFree = { condition: 'attribute_not_exists(pk) OR holder = :id', values: { ':id': { S: id } } }
  return [
    ...left.map((key) => ({ remove: key, ...isFree })),
    ...wanted.map((key) => ({ put: { ...keyAttributes(key), holder: { S: id } }, ...isFree })),
  ]
}
