import { counted } from '../../../base/counted.ts'
import { Refusal } from '../../../base/errors.ts'
import type { Context } from '../../../http/context.ts'
import type { Dependent } from '../../../http/dry-run.ts'
import type { Stored } from '../../../store/entity.ts'
import { linksTo } from '../../links/store.ts'
import { virtualKeys } from '../../virtual-keys/store.ts'
import { mayRead as mayReadKey } from '../policies/access.ts'
import { allVersionsOf, findKey } from '../lists/find-key.ts'
import type { LocalKeySelector, LocalKeyUses } from '../model.ts'
import { presentKey } from '../record/present-key.ts'
import { certificatesOf, localKeys, type StoredLocalKey } from '../store.ts'
import { keyAsOf } from './key-state.ts'
import { loadedKeyUsers, mayRead, NAMED_MOST, type KeyUse } from './key-users.ts'

type Asking = Pick<Context, 'caller' | 'uses' | 'now'>

/** Stored certificates whose private key is one of the versions. */
async function certificateUse({ caller, uses }: Asking, versions: readonly Stored<StoredLocalKey>[]): Promise<KeyUse> {
  const domain = caller.domain.id
  const found = await Promise.all(versions.map(({ item }) => localKeys.members(domain, certificatesOf(item.id))))
  const ids = [...new Set(found.flat())]
  const named = await localKeys.getMany(domain, ids.slice(0, NAMED_MOST), 'leave out')
  const seen = named.filter(({ item }) => mayReadKey(caller, item) && mayRead({ uses }, 'ReadKey', item))
  return { noun: 'certificate', count: ids.length, names: seen.map(({ item }) => item.name) }
}

async function virtualKeyUse({ caller }: Asking, name: string): Promise<KeyUse> {
  const virtual = await virtualKeys.holder(caller.domain.id, 'source', name)
  return { noun: 'virtual key', count: virtual === undefined ? 0 : 1 } // a virtual key has the name of its source
}

/**
 * All uses of a local key. Most users need every version of the key; a key store, a certificate and the material of a
 * cloud key use a single version.
 * @param versions all of one key
 */
async function usesOfKey(context: Asking, versions: readonly Stored<StoredLocalKey>[]): Promise<KeyUse[]> {
  const name = versions[0]?.item.name ?? ''
  const users = await loadedKeyUsers()
  const found = await Promise.all([
    virtualKeyUse(context, name),
    certificateUse(context, versions),
    ...users.map(({ usesOf }) => usesOf(context, name, versions)),
  ])
  return found.flat().filter(({ count }) => count > 0)
}

/**
 * The uses for which a deletion of a key, or of one version, would be refused.
 * @throws Refusal NOT_FOUND, as for the key itself
 */
export async function keyUses(context: Context, reference: string, selector: LocalKeySelector): Promise<LocalKeyUses> {
  const named = await findKey(context, reference, selector)
  context.uses('ReadKey', presentKey(named.item, context.now))
  const ended = selector.version === undefined ? await allVersionsOf(context.caller.domain.id, named) : [named]
  const links = await Promise.all(ended.map(({ item }) => linkCount(context.caller.domain.id, item)))
  const linked: KeyUse = { noun: 'link', count: links.reduce((sum, count) => sum + count, 0) }
  const uses = [...(await usesOfKey(context, ended)), linked].filter(({ count }) => count > 0)
  return {
    isUsed: uses.length > 0,
    uses: uses.map(({ noun, count, names = [], haveCopies = false }) => ({
      kind: noun,
      count,
      names: [...names],
      haveCopies,
    })),
  }
}

/** The users of the versions that a call would change or end, for its dry run. */
export async function dependentsOfKeys(context: Context, ids: readonly string[]): Promise<readonly Dependent[]> {
  const versions = await localKeys.getMany(context.caller.domain.id, ids, 'salvage')
  const byName = [...Map.groupBy(versions, ({ item }) => item.name).values()]
  const uses = await Promise.all(byName.map((own) => usesOfKey(context, own)))
  return uses.flat().map(({ noun, count, names = [], endpoints = [] }) => ({ kind: noun, count, names, endpoints }))
}

/** Links that were created separately, from or to a version. */
async function linkCount(domain: string, { id, links }: StoredLocalKey): Promise<number> {
  return links.filter((link) => link.id !== undefined).length + (await linksTo(domain, id)).length
}

/** Names of users, if the caller may see any; an incomplete list ends with three dots. */
function namesOf(uses: readonly KeyUse[]): string {
  const names = uses.flatMap((use) => use.names ?? [])
  if (names.length === 0) return ''
  const all = uses.reduce((sum, { count }) => sum + count, 0)
  return ` Users: ${names.join(', ')}${names.length < all ? ' …' : '.'}`
}

const inUse = (versions: readonly Stored<StoredLocalKey>[], uses: readonly KeyUse[]): Refusal =>
  new Refusal(
    'IN_USE',
    `The key ${versions[0]?.item.name} is used by ${uses.map(({ noun, count }) => counted(count, noun)).join(' and ')}.${namesOf(uses)}`,
  )

/**
 * Called before versions of a key are ended, now or at a date. Ours: `force` ends them despite their uses.
 * @param versions of one key that are to lose their material
 * @throws Refusal IN_USE, naming the users
 */
export async function assertUnusedOrForced(
  context: Asking,
  versions: readonly Stored<StoredLocalKey>[],
  force = false,
): Promise<{ isUsed: boolean }> {
  const uses = await usesOfKey(context, versions)
  if (uses.length > 0 && !force) throw inUse(versions, uses)
  return { isUsed: uses.length > 0 }
}

/**
 * The same for a user that ends its own key.
 * @param own kind of the user, which uses a key at most once
 * @throws Refusal IN_USE, naming the other users
 */
export async function assertNoOtherUse(
  context: Asking,
  versions: readonly Stored<StoredLocalKey>[],
  own: string,
): Promise<void> {
  const uses = (await usesOfKey(context, versions)).filter(({ noun }) => noun !== own)
  if (uses.length > 0) throw inUse(versions, uses)
}

/**
 * The same for ending versions now. Ours: a key in use must be deactivated first, which stops new uses and can be
 * undone.
 * @throws Refusal IN_USE, naming the users; STATE_CONFLICT for a forced end of Active versions in use
 */
export async function assertMayEnd(
  context: Asking,
  versions: readonly Stored<StoredLocalKey>[],
  force: boolean | undefined,
): Promise<void> {
  const { isUsed } = await assertUnusedOrForced(context, versions, force)
  if (!isUsed) return
  const name = versions[0]?.item.name
  const active = versions.filter(({ item }) => keyAsOf(item, context.now).state === 'Active')
  if (active.length > 0)
    throw new Refusal(
      'STATE_CONFLICT',
      `The key ${name} is used, and Active in ${active.length === 1 ? 'version' : 'versions'} ${active.map(({ item }) => item.version).join(', ')}: revoke it first.`,
    )
}

/**
 * Ours: links that were created separately must be deleted separately, so that none refers to a deleted key.
 * @throws Refusal IN_USE for a version with such links, or to which others refer
 */
export async function assertUnlinked(domain: string, versions: readonly Stored<StoredLocalKey>[]): Promise<void> {
  for (const { item } of versions) {
    const count = await linkCount(domain, item)
    if (count > 0)
      throw new Refusal('IN_USE', `The key ${item.name} has ${counted(count, 'link')}: delete every link first.`)
  }
}
