import { Changes, commitUnlessDone } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import type { Family } from '../../store/layout.ts'
import type { Damage } from '../../store/salvage.ts'
import type { AnySynchronized, OpenPlace } from './synchronized.ts'

/** A record that breaks its schema. */
export type DamagedRecord = Stored<unknown> & { readonly damage: Damage<unknown> }

const isDamaged = (stored: Stored<unknown>): stored is DamagedRecord => stored.damage !== undefined

export const apart = (records: readonly Stored<unknown>[]) => ({
  whole: records.filter((one) => !isDamaged(one)),
  damaged: records.filter(isDamaged),
})

/** Where damaged records are mended. */
interface At {
  readonly domain: string
  readonly cloud: AnySynchronized
  readonly place: OpenPlace<unknown, unknown>
  readonly now: Date
}

/**
 * The record with the cloud's description of its key. The stored fields count as unread, so that every field that the
 * description decides derives from it again. Other invalid fields are kept, so the record stays invalid: dropping them
 * would lose information silently.
 * @param read `undefined` if the cloud does not have the key
 * @throws Error if a field stays invalid
 */
export async function described(
  { cloud, place, now }: At,
  { id, was }: Damage<unknown>,
  read: unknown,
): Promise<unknown> {
  const unread = read === undefined ? {} : (cloud.unread({}, now) as object)
  const fresh = await place.refreshed({ ...(was as object), id, ...unread }, read, now)
  return cloud.entity.schema.parse(structuredClone(fresh))
}

/**
 * Writes a replaced record in its own commit: if another record has its place or value, no other write fails with it.
 */
export async function replaced(
  { domain, cloud, place, now }: At,
  before: DamagedRecord,
  after: unknown,
): Promise<void> {
  const changes = new Changes()
  changes.update(cloud.entity, domain, before, after)
  place.changed?.(changes, before.item, after, now)
  await changes.commit(now)
}

/** Removes the digest from the record's place, so that every reading reads the record. */
export async function withoutDigest({ domain, cloud, now }: At, family: Family, id: string): Promise<void> {
  const changes = new Changes()
  changes.forgetDigest(cloud.entity, domain, family, id)
  await commitUnlessDone(changes, now)
}
