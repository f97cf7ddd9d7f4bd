import { pageOf, type After } from '../../toolkit/pages.ts'
import type { Reply } from '../wire/arrived.ts'
import { hostOf } from '../directory/directory.ts'
import { badParameter } from '../wire/errors.ts'
import { live } from './found.ts'
import type { Held, VersionOf, Kind } from './held.ts'
import { look } from '../state/passing-time.ts'
import { ok, type VaultCall } from './vault-call.ts'

const PAGE_MOST = 25

/** @throws ApiError BadParameter */
function pageSize({ query }: VaultCall): number {
  const wanted = query.get('maxresults') ?? String(PAGE_MOST)
  const size = Number(wanted)
  if (Number.isInteger(size) && size >= 1 && size <= PAGE_MOST) return size
  throw badParameter(`Invalid maxresults ${wanted}: it must be between 1 and ${PAGE_MOST}.`)
}

/** One page of items in the order of their names, with an absolute link to the next page at the vault's public host. */
function paged(call: VaultCall, after: After, describe: (name: string) => object): Reply {
  const { query, vault, path, page } = call
  const token = query.get('$skiptoken') ?? undefined
  const asked = { list: `${vault.name} ${path}`, token, size: pageSize(call), kind: page }
  const { names, next } = pageOf(asked, after, () => badParameter('The skip token is not valid.'))
  const link = new URLSearchParams([
    ['api-version', query.get('api-version') ?? ''],
    ['$skiptoken', next ?? ''],
    ['maxresults', String(asked.size)],
    ...[...query].filter(([name]) => name === 'includePending'),
  ])
  const nextLink = next === undefined ? null : `https://${hostOf(vault)}${path}?${link.toString()}`
  return ok({ value: names.map(describe), nextLink })
}

/** Names in order, filtered. */
const filtered =
  (after: After, isWanted: (name: string) => boolean): After =>
  (last, count) => {
    const found: string[] = []
    let from = last
    for (;;) {
      const some = after(from, count + 1)
      found.push(...some.filter(isWanted))
      if (some.length <= count || found.length >= count) return found.slice(0, count)
      from = some.at(-1)
    }
  }

const existing = <K extends Kind>({ state, vault }: VaultCall, kind: K, name: string): Held[K] => {
  const item = state.item(kind, vault.name, name)
  if (item === undefined) throw new Error(`${name} was listed and is gone.`)
  return item
}

/** A list of items that are not deleted. */
export function listLive<K extends Kind>(
  call: VaultCall,
  kind: K,
  describe: (item: Held[K]) => object,
  isListed: (item: Held[K]) => boolean = ({ versions }) => versions.length > 0,
): Reply {
  const { state, vault } = call
  const isWanted = (name: string): boolean => {
    const item = state.item(kind, vault.name, name)
    return item !== undefined && item.deleted === undefined && isListed(item) && look(item)
  }
  return paged(call, filtered(state.names(kind, vault.name).after, isWanted), (name) =>
    describe(existing(call, kind, name)),
  )
}

export function listDeleted<K extends Kind>(call: VaultCall, kind: K, describe: (item: Held[K]) => object): Reply {
  const { state, vault } = call
  const isWanted = (name: string): boolean => {
    const item = state.item(kind, vault.name, name)
    return item?.deleted !== undefined && item.transit === undefined
  }
  return paged(call, filtered(state.names(kind, vault.name).after, isWanted), (name) =>
    describe(existing(call, kind, name)),
  )
}

/** The versions of an item in the order of their ids, which is not the order of their times. */
export function listVersions<K extends Kind>(
  call: VaultCall,
  kind: K,
  describe: (item: Held[K], version: VersionOf<K>) => object,
  versionsOf: (item: Held[K]) => readonly VersionOf<K>[] = ({ versions }) => versions,
): Reply {
  const item = live(call, kind, call.name)
  const versions = versionsOf(item)
  const ids = versions.map(({ id }) => id).sort()
  const after: After = (last, count) => ids.filter((id) => last === undefined || id > last).slice(0, count)
  const shown = new Map(versions.map((version) => [version.id, describe(item, version)]))
  return paged(call, after, (id) => shown.get(id) ?? {})
}
