import { Refusal } from '../../../base/errors.ts'
import { atOnce } from '../../../base/at-once.ts'
import { BoundedCache } from '../../../base/bounded-cache.ts'
import type { RefPage } from '../../../cloud/contract.ts'
import { RECORD_TAG } from '../param.ts'
import {
  allPages,
  deletedPage,
  deletionOf,
  read,
  readDeleted,
  versionsOf,
  type ItemCalls,
  type ItemParam,
  type LinkedPage,
  type Listed,
} from './items.ts'
import { checkedLink, checkedName, knownParts, nameOf, refOf } from './names.ts'
import type { CloudBDeletion, CloudBPlace, CloudBRead, CloudBSurvey } from './types.ts'
import { ifThere } from './errors.ts'

/** Names whose versions are listed in parallel. */
const NAMES_AT_ONCE = 5
/** Ours: pages of 25 names that are searched for unknown names before the cursor is returned. */
const PAGES_AT_ONCE = 10
/** Ours: number of names whose versions a survey caches: those of a page of 100 records, and a few more. */
const LISTS_KEPT = 128

const tagsText = (tags: ItemParam['tags']): string => JSON.stringify(Object.entries(tags).sort())

/**
 * Whether a version is unchanged. A list omits some attributes, but they do not change without the time of the last
 * change.
 */
function isSame(known: ItemParam, listed: ItemParam): boolean {
  const shown = { nbf: undefined, exp: undefined, ...listed.attributes }
  const before: Readonly<Record<string, unknown>> = known.attributes
  const isEqual = Object.entries(shown).every(([name, value]) => before[name] === value)
  return isEqual && tagsText(known.tags) === tagsText(listed.tags)
}

function surveyOf<Param extends ItemParam>(calls: ItemCalls<Param>, place: CloudBPlace): CloudBSurvey<Param> {
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
    beside: async (refs) => {
      const lists = await atOnce([...new Set(refs.map(nameOf))], NAMES_AT_ONCE, listOf)
      return lists.flatMap((list = []) => list.map(({ ref }) => ref))
    },
  }
}

const LIVE = 'live'
const DELETED = 'deleted'

/** keymgr's own cursor: which of the two lists, and the link to its next page. @throws Refusal CLOUD_INVALID */
function cursorParts(place: CloudBPlace, cursor = LIVE): { phase: string; link: string | undefined } {
  const [phase = '', link] = cursor.split(' ')
  if (phase !== LIVE && phase !== DELETED)
    throw new Refusal('CLOUD_INVALID', 'The list cannot be gone on with: the cursor is not one of this cloud.')
  return { phase, link: link === undefined ? undefined : checkedLink(link, place.vault_url) }
}

/**
 * Refs of a name. If the name may not be read, a single ref without a version, for which a survey throws the refusal.
 */
async function refsOfName(name: string, look: Promise<readonly string[] | undefined>): Promise<readonly string[]> {
  try {
    return (await ifThere(look)) ?? []
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'CLOUD_DENIED') return [refOf(name, '')]
    throw error
  }
}

/** The first page that contains unknown names, or the last of a few pages without any. */
async function unknownNames<Param extends ItemParam>(
  calls: ItemCalls<Param>,
  place: CloudBPlace,
  link: string | undefined,
  isKnown: (name: string) => Promise<boolean>,
): Promise<LinkedPage<string>> {
  let from = link
  for (let page = 1; ; page++) {
    const { items, next } = await calls.names(place, from)
    const unknown: string[] = []
    for (const name of items) if (!(await isKnown(name))) unknown.push(name)
    if (unknown.length > 0 || next === undefined || page === PAGES_AT_ONCE) return { items: unknown, next }
    from = checkedLink(next, place.vault_url)
  }
}

async function refs<Param extends ItemParam>(
  calls: ItemCalls<Param>,
  place: CloudBPlace,
  cursor: string | undefined,
  isKnown: (name: string) => Promise<boolean>,
): Promise<RefPage> {
  const { phase, link } = cursorParts(place, cursor)
  if (phase === LIVE) {
    const { items, next } = await unknownNames(calls, place, link, isKnown)
    const look = async (name: string) => (await versionsOf(calls, place, name)).map(({ ref }) => ref)
    const found = await atOnce(items, NAMES_AT_ONCE, (name) => refsOfName(name, look(name)))
    return { refs: found.flat(), next: next === undefined ? DELETED : `${LIVE} ${next}` }
  }
  const { items, next } = await deletedPage(calls, place, link)
  const look = async (name: string) => [(await calls.getDeleted(place, name)).ref]
  const found = await atOnce(items, NAMES_AT_ONCE, ({ name }) => refsOfName(name, look(name)))
  return { refs: found.flat(), ...(next !== undefined && { next: `${DELETED} ${next}` }) }
}

/** A version, identified by the mark in its tags. */
export interface Marked {
  readonly name: string
  readonly mark: string
}

/** The version of a name with a mark: lists contain tags. */
export async function findMade<Param extends ItemParam>(
  calls: ItemCalls<Param>,
  place: CloudBPlace,
  { name, mark }: Marked,
): Promise<CloudBRead<Param> | undefined> {
  const versions = await ifThere(versionsOf(calls, place, name))
  const found = versions?.find(({ tags }) => tags[RECORD_TAG] === mark)
  return found && read(calls, place, found.ref)
}

/** The reading verbs common to keys, secrets and certificates. */
export const readingVerbs = <Param extends ItemParam>(calls: ItemCalls<Param>) => ({
  refs: (place: CloudBPlace, cursor: string | undefined): Promise<RefPage> =>
    refs(calls, place, cursor, () => Promise.resolve(false)),
  refsBeyond: (
    place: CloudBPlace,
    cursor: string | undefined,
    isKnown: (name: string) => Promise<boolean>,
  ): Promise<RefPage> => refs(calls, place, cursor, isKnown),
  read: (place: CloudBPlace, ref: string): Promise<CloudBRead<Param> | undefined> => read(calls, place, ref),
  survey: (place: CloudBPlace) => Promise.resolve(surveyOf(calls, place)),
  surveyNames: (place: CloudBPlace) => Promise.resolve(surveyOf(calls, place)),
  made: (place: CloudBPlace, named: Marked) => findMade(calls, place, named),
  versions: async (place: CloudBPlace, name: string): Promise<readonly string[]> =>
    ((await ifThere(versionsOf(calls, place, checkedName(name)))) ?? []).map(({ ref }) => ref),
  deletion: (place: CloudBPlace, name: string): Promise<CloudBDeletion | undefined> => deletionOf(calls, place, name),
  deletions: async (place: CloudBPlace): Promise<ReadonlyMap<string, CloudBDeletion>> => {
    const all = await allPages(place.vault_url, (link) => deletedPage(calls, place, link))
    return new Map(all.map(({ name, deletion }) => [name.toLowerCase(), deletion]))
  },
})
