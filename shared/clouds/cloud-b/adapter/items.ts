import { Refusal } from '../../../base/errors.ts'
import type { CloudBAttributes } from '../param.ts'
import { checkedLink, checkedName, nameOf, partsOf } from './names.ts'
import type { CloudBDeletion, CloudBPlace, CloudBRead } from './types.ts'
import { ifThere } from './errors.ts'

/** Members common to descriptions of versions of keys, secrets and certificates. */
export interface ItemParam {
  readonly attributes: CloudBAttributes
  readonly tags: Readonly<Record<string, string>>
}

/** A version as the cloud describes it. */
export interface Version<Param> {
  readonly ref: string
  readonly param: Param
}

/** A version as a list shows it. */
export interface Listed<Param> {
  readonly ref: string
  readonly attributes: CloudBAttributes
  readonly tags: Readonly<Record<string, string>>
  /** set if the list contains the whole description of a version */
  readonly param?: Param
}

export interface DeletedName {
  readonly name: string
  readonly deletion: CloudBDeletion
}

/** One page of a list and the link to the next one. */
export interface LinkedPage<Item> {
  readonly items: readonly Item[]
  readonly next: string | undefined
}

/** The calls about keys, secrets or certificates: one request each. */
export interface ItemCalls<Param extends ItemParam> {
  names(place: CloudBPlace, link: string | undefined): Promise<LinkedPage<string>>
  /** In any order. @throws Refusal CLOUD_NOT_FOUND for a name that is not live */
  versions(place: CloudBPlace, name: string, link: string | undefined): Promise<LinkedPage<Listed<Param>>>
  deleted(place: CloudBPlace, link: string | undefined): Promise<LinkedPage<DeletedName>>
  /** Without `version`, the version in use. @throws Refusal CLOUD_NOT_FOUND */
  get(place: CloudBPlace, name: string, version?: string): Promise<Version<Param>>
  /** Whether the version in use can be read without reading a secret value. */
  readonly tellsLatest: boolean
  /** The latest version of a deleted name. @throws Refusal CLOUD_NOT_FOUND */
  getDeleted(place: CloudBPlace, name: string): Promise<Version<Param> & { readonly deletion: CloudBDeletion }>
}

/** All items, page by page; a page may be short or empty although more follow. @param origin of all links */
export async function allPages<Item>(
  origin: string,
  page: (link: string | undefined) => Promise<LinkedPage<Item>>,
): Promise<Item[]> {
  const all: Item[] = []
  let link: string | undefined
  do {
    const { items, next } = await page(link)
    all.push(...items)
    link = next === undefined ? undefined : checkedLink(next, origin)
  } while (link !== undefined)
  return all
}

const isOlder = (a: Listed<unknown>, b: Listed<unknown>): number =>
  a.attributes.created - b.attributes.created || (a.ref < b.ref ? -1 : 1)

/**
 * Versions of a live name, oldest first. Times are whole seconds: if the last two versions have the same time, the
 * cloud is asked which one is in use, if it can be asked. Ours: for a secret it is then the one with the higher id,
 * because the answer would contain the secret's value.
 * @throws Refusal CLOUD_NOT_FOUND
 */
export async function versionsOf<Param extends ItemParam>(
  calls: ItemCalls<Param>,
  place: CloudBPlace,
  name: string,
): Promise<Listed<Param>[]> {
  const all = (await allPages(place.vault_url, (link) => calls.versions(place, name, link))).sort(isOlder)
  if (all.length === 0) throw new Refusal('CLOUD_NOT_FOUND', `Cloud-b has no version of ${name}.`)
  const [last, before] = [all.at(-1), all.at(-2)]
  if (!calls.tellsLatest || before?.attributes.created !== last?.attributes.created) return all
  const { ref } = await calls.get(place, name)
  return [...all.filter((each) => each.ref !== ref), ...all.filter((each) => each.ref === ref)]
}

/** The deleted version with a ref. */
export async function readDeleted<Param extends ItemParam>(
  calls: ItemCalls<Param>,
  place: CloudBPlace,
  ref: string,
): Promise<CloudBRead<Param> | undefined> {
  const seen = await ifThere(ifKept(calls.getDeleted(place, nameOf(ref))))
  return seen?.ref === ref ? { ref, param: seen.param, is_latest: true, deletion: seen.deletion } : undefined
}

export async function read<Param extends ItemParam>(
  calls: ItemCalls<Param>,
  place: CloudBPlace,
  ref: string,
): Promise<CloudBRead<Param> | undefined> {
  const parts = partsOf(ref)
  if (parts === undefined) return undefined
  const latest = await ifThere(calls.get(place, parts.name))
  if (latest === undefined) return readDeleted(calls, place, ref)
  if (latest.ref === ref) return { ...latest, is_latest: true }
  const older = await ifThere(calls.get(place, parts.name, parts.version))
  return older && { ...older, is_latest: false }
}

/** A vault without soft delete refuses reads of deleted items: it has none. */
async function ifKept<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'CLOUD_INVALID')
      throw new Refusal('CLOUD_NOT_FOUND', error.message, { cause: error.cause })
    throw error
  }
}

export const deletedPage = async <Param extends ItemParam>(
  calls: ItemCalls<Param>,
  place: CloudBPlace,
  link: string | undefined,
): Promise<LinkedPage<DeletedName>> =>
  (await ifThere(ifKept(calls.deleted(place, link)))) ?? { items: [], next: undefined }

/** The deletion of a name, according to the cloud; `undefined` when it is not deleted. */
export const deletionOf = async <Param extends ItemParam>(
  calls: ItemCalls<Param>,
  place: CloudBPlace,
  name: string,
): Promise<CloudBDeletion | undefined> => (await ifThere(ifKept(calls.getDeleted(place, checkedName(name)))))?.deletion
