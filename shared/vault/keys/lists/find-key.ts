import type { Context } from '../../../http/context.ts'
import { type BrokenField, notThere } from '../../../base/errors.ts'
import { LOCAL_KEY_ID } from '../../../base/ids.ts'
import type { LocalKeySelector } from '../model.ts'
import { Stale } from '../../../store/changes.ts'
import type { Broken, Stored } from '../../../store/entity.ts'
import { versionSortKey } from '../../../store/layout.ts'
import { localKeys, type StoredLocalKey } from '../store.ts'
import { mayRead } from '../policies/access.ts'
import { presentKey } from '../record/present-key.ts'

const URI = /^keymgr:([^:]+):vault:keys:(.+)-v(\d{1,10})$/s

/** A version of a key by its number. Two reads. */
export async function versionNumbered(
  domain: string,
  name: string,
  version: number,
): Promise<Stored<StoredLocalKey> | undefined> {
  const id = await localKeys.member(domain, { name, key: versionSortKey(version) })
  return id === undefined ? undefined : localKeys.get(domain, id)
}

/**
 * The latest version of the key with this name or alias.
 * @throws Stale when the name moved to another version between the two reads
 */
async function latestOf(domain: string, nameOrAlias: string): Promise<Stored<StoredLocalKey> | undefined> {
  const id = await localKeys.holder(domain, 'name', nameOrAlias)
  if (id === undefined) return undefined
  const found = await localKeys.get(domain, id)
  if (found?.item.latest !== true) throw new Stale('The name passed to another version while it was looked up')
  return found
}

async function lookUp(
  domain: string,
  reference: string,
  type: LocalKeySelector['type'],
): Promise<Stored<StoredLocalKey> | undefined> {
  const isId = LOCAL_KEY_ID.test(reference)
  if (type === 'id' || (type === undefined && isId)) return isId ? localKeys.get(domain, reference) : undefined
  const [, of, name = '', version] = (type === undefined || type === 'uri' ? URI.exec(reference) : null) ?? []
  if (of === domain) return versionNumbered(domain, name, Number(version))
  const found = type === 'uri' ? undefined : await latestOf(domain, reference)
  const isName = found?.item.name === reference
  return (type === 'name' && !isName) || (type === 'alias' && isName) ? undefined : found
}

/**
 * Resolves a reference to a key version. An id or URI refers to exactly that version; a name or alias to the latest,
 * unless `version` is given. One read by id, two by name, two more for another version.
 * @throws Refusal NOT_FOUND for a missing key, another domain's, or one that the caller may not see, without
 * distinction
 */
export const findKey = (
  context: Pick<Context, 'caller'>,
  reference: string,
  selector: LocalKeySelector = {},
): Promise<Stored<StoredLocalKey>> => find(context, reference, selector)

/**
 * A key that a body names. Policies decide whether the caller reads it, as for the call that gets it.
 * @throws Refusal as `findKey`, and ACTION_DENIED
 */
export async function findNamedKey(
  context: Pick<Context, 'caller' | 'now' | 'uses'>,
  reference: string,
  selector: LocalKeySelector,
  field: BrokenField,
): Promise<Stored<StoredLocalKey>> {
  const stored = await find(context, reference, selector, field)
  context.uses('ReadKey', presentKey(stored.item, context.now))
  return stored
}

async function find(
  { caller }: Pick<Context, 'caller'>,
  reference: string,
  { type, version }: LocalKeySelector,
  field?: BrokenField,
): Promise<Stored<StoredLocalKey>> {
  const domain = caller.domain.id
  const named = await lookUp(domain, reference, type)
  const wanted =
    named === undefined || version === undefined || version === named.item.version
      ? named
      : version === -1
        ? await latestOf(domain, named.item.name)
        : await versionNumbered(domain, named.item.name, version)
  if (wanted === undefined || !mayRead(caller, wanted.item)) throw notThere('There is no such key.', field)
  return wanted
}

/** Every version of a key, oldest first. @param broken as in `getMany` */
export async function versionsOf(domain: string, name: string, broken?: Broken): Promise<Stored<StoredLocalKey>[]> {
  return localKeys.getMany(domain, await localKeys.members(domain, name), broken)
}

/**
 * Every version of a key that was read before, oldest first.
 * @throws Stale if that version was deleted meanwhile, so that the request runs again
 */
export async function allVersionsOf(
  domain: string,
  { item: { id, name } }: Stored<StoredLocalKey>,
): Promise<Stored<StoredLocalKey>[]> {
  const versions = await versionsOf(domain, name)
  if (!versions.some(({ item }) => item.id === id)) throw new Stale('The key was deleted meanwhile')
  return versions
}

/** The half that is destroyed or deleted along with a private key; `undefined` for all other keys. */
export const publicHalf = async (domain: string, key: StoredLocalKey): Promise<Stored<StoredLocalKey> | undefined> =>
  key.objectType === 'Private Key' ? otherHalf(domain, key) : undefined

/** The other half of a key pair; `undefined` for other objects and if that half was deleted. */
export async function otherHalf(
  domain: string,
  { links, objectType }: StoredLocalKey,
): Promise<Stored<StoredLocalKey> | undefined> {
  const target = objectType === 'Certificate' ? undefined : links.find(({ id }) => id === undefined)?.target
  return target === undefined ? undefined : localKeys.get(domain, target)
}
