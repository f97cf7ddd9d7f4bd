import { Refusal } from '../../../base/errors.ts'
import { atOnce } from '../../../base/at-once.ts'
import { BoundedCache } from '../../../base/bounded-cache.ts'
import type { RefPage, Survey } from '../../../cloud/contract.ts'
import { RECORD_TAG, type CloudBAttributes } from '../param.ts'
import { checkedLink, checkedName, knownParts, nameOf, partsOf, refOf } from './names.ts'
import type { CloudBDeletion, CloudBPlace, CloudBRead } from './types.ts'
import { ifThere } from './waiting.ts'

/** Descriptions of versions of keys, secrets and certificates have these in common. */
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
  /** where the list shows all there is to a version */
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
  /** The version in use without a version. @throws Refusal CLOUD_NOT_FOUND */
  get(place: CloudBPlace, name: string, version?: string): Promise<Version<Param>>
  /** Whether the version in use can be asked for by itself. */
  readonly tellsLatest: boolean
  /** The latest version of a deleted name. @throws Refusal CLOUD_NOT_FOUND */
  getDeleted(place: CloudBPlace, name: string): Promise<Version<Param> & { readonly deletion: CloudBDeletion }>
}

/** Names whose versions are listed side by side. */
const NAMES_AT_ONCE = 5
/** Ours: names of which a survey remembers the versions. Refs of one name follow each other, read a few at a time. */
const LISTS_KEPT = 32

/** Everything, page by page; a page may be short or empty and others still follow. @param origin of all links */
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
 * Versions of a live name, oldest first. Times are whole seconds: where the last two are of the same one, the cloud is
 * asked which is in use, if it can be asked. Ours: of a secret it is then the one with the higher id, because the answer
 * would bring the secret's value along.
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

/** The deleted version that a ref names. */
async function readDeleted<Param extends ItemParam>(
  calls: ItemCalls<Param>,
  place: CloudBPlace,
  ref: string,
): Promise<CloudBRead<Param> | undefined> {
  const seen = await ifThere(ifKept(calls.getDeleted(place, nameOf(ref))))
  return seen?.ref === ref ? { ref, param: seen.param, is_latest: true, deletion: seen.deletion } : undefined
}

async function read<Param extends ItemParam>(
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

const tagsText = (tags: ItemParam['tags']): string => JSON.stringify(Object.entries(tags).sort())

/** Whether a version is as it was. A list leaves out attributes that do not change without the time of the last change. */
function isSame(known: ItemParam, listed: ItemParam): boolean {
  const shown = { nbf: undefined, exp: undefined, ...listed.attributes }
  const before: Readonly<Record<string, unknown>> = known.attributes
  const isEqual = Object.entries(shown).every(([name, value]) => before[name] === value)
  return isEqual && tagsText(known.tags) === tagsText(listed.tags)
}

function surveyOf<Param extends ItemParam>(
  calls: ItemCalls<Param>,
  place: CloudBPlace,
): Survey<CloudBRead<Param>, Param> {
  const lists = new BoundedCache<Promise<readonly Listed<Param>[] | undefined>>(LISTS_KEPT)
  const listOf = (name: string) =>
    lists.use(name, () => {
      const list = ifThere(versionsOf(calls, place, name))
      list.catch(() => lists.delete(name))
      return list
    })
  return {
    read: async (ref, known) => {
      const name = nameOf(ref)
      const list = await listOf(name)
      if (list === undefined) return readDeleted(calls, place, ref)
      const listed = list.find((each) => each.ref === ref)
      if (listed === undefined) return undefined
      const is_latest = list.at(-1) === listed
      if (known !== undefined && isSame(known, listed)) return { ref, param: known, is_latest }
      if (listed.param !== undefined) return { ref, param: listed.param, is_latest }
      const found = await ifThere(calls.get(place, name, knownParts(ref).version))
      return found && { ...found, is_latest }
    },
  }
}

const LIVE = 'live'
const DELETED = 'deleted'

/** Our own cursor: which of the two lists it is, and the link to go on with. @throws Refusal CLOUD_INVALID */
function cursorParts(place: CloudBPlace, cursor = LIVE): { phase: string; link: string | undefined } {
  const [phase = '', link] = cursor.split(' ')
  if (phase !== LIVE && phase !== DELETED)
    throw new Refusal('CLOUD_INVALID', 'The list cannot be gone on with: the cursor is not one of this cloud.')
  return { phase, link: link === undefined ? undefined : checkedLink(link, place.vault_url) }
}

/** A vault without soft delete refuses the question about what is deleted in it: nothing is. */
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

/** The deletion of a name, as the cloud tells it; `undefined` when there is none. */
export const deletionOf = async <Param extends ItemParam>(
  calls: ItemCalls<Param>,
  place: CloudBPlace,
  name: string,
): Promise<CloudBDeletion | undefined> => (await ifThere(ifKept(calls.getDeleted(place, checkedName(name)))))?.deletion

/** Refs of a name; where it may not be looked at, one without a version, of which a survey tells the refusal. */
async function refsOfName(name: string, look: Promise<readonly string[] | undefined>): Promise<readonly string[]> {
  try {
    return (await ifThere(look)) ?? []
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'CLOUD_DENIED') return [refOf(name, '')]
    throw error
  }
}

async function refs<Param extends ItemParam>(
  calls: ItemCalls<Param>,
  place: CloudBPlace,
  cursor: string | undefined,
): Promise<RefPage> {
  const { phase, link } = cursorParts(place, cursor)
  if (phase === LIVE) {
    const { items, next } = await calls.names(place, link)
    const look = async (name: string) => (await versionsOf(calls, place, name)).map(({ ref }) => ref)
    const found = await atOnce(items, NAMES_AT_ONCE, (name) => refsOfName(name, look(name)))
    return { refs: found.flat(), next: next === undefined ? DELETED : `${LIVE} ${next}` }
  }
  const { items, next } = await deletedPage(calls, place, link)
  const look = async (name: string) => [(await calls.getDeleted(place, name)).ref]
  const found = await atOnce(items, NAMES_AT_ONCE, ({ name }) => refsOfName(name, look(name)))
  return { refs: found.flat(), ...(next !== undefined && { next: `${DELETED} ${next}` }) }
}

/** A version by the tag that it was made with. */
export interface Marked {
  readonly name: string
  readonly mark: string
}

/** The version of a name that was made with a mark: lists show tags. */
export async function findMade<Param extends ItemParam>(
  calls: ItemCalls<Param>,
  place: CloudBPlace,
  { name, mark }: Marked,
): Promise<CloudBRead<Param> | undefined> {
  const versions = await ifThere(versionsOf(calls, place, name))
  const found = versions?.find(({ tags }) => tags[RECORD_TAG] === mark)
  return found && read(calls, place, found.ref)
}

/** The verbs of reading, which are the same for keys, secrets and certificates. */
export const readingVerbs = <Param extends ItemParam>(calls: ItemCalls<Param>) => ({
  refs: (place: CloudBPlace, cursor: string | undefined): Promise<RefPage> => refs(calls, place, cursor),
  read: (place: CloudBPlace, ref: string): Promise<CloudBRead<Param> | undefined> => read(calls, place, ref),
  survey: (place: CloudBPlace) => Promise.resolve(surveyOf(calls, place)),
  made: (place: CloudBPlace, named: Marked) => findMade(calls, place, named),
  versions: async (place: CloudBPlace, name: string): Promise<readonly string[]> =>
    ((await ifThere(versionsOf(calls, place, checkedName(name)))) ?? []).map(({ ref }) => ref),
  deletion: (place: CloudBPlace, name: string): Promise<CloudBDeletion | undefined> => deletionOf(calls, place, name),
  deletions: async (place: CloudBPlace): Promise<ReadonlyMap<string, CloudBDeletion>> => {
    const all = await allPages(place.vault_url, (link) => deletedPage(calls, place, link))
    return new Map(all.map(({ name, deletion }) => [name, deletion]))
  },
})
