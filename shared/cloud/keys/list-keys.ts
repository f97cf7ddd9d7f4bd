import { Uuid } from '../../http/common-fields.ts'
import type { Context } from '../../http/context.ts'
import type { ListQuery } from '../../http/lists/list-query.ts'
import { fieldTests, listed, type ResourceList, type Selection } from '../../resource/listed.ts'
import type { Stored } from '../../store/entity.ts'
import { isKeymgrAdmin } from '../../http/permission.ts'
import { may } from '../containers/acl.ts'
import { containersNamed } from '../containers/find-container.ts'
import { containersPermitting } from '../containers/permitting.ts'
import type { Containers, KeyKind, KeyTypes } from './kind.ts'

interface Asked {
  /** names or ids of containers */
  readonly named: readonly string[] | undefined
  readonly ids: readonly string[] | undefined
}

/**
 * The containers that a list of keys reads; `undefined` means all, when the caller may see all and names none.
 * @param views a caller with any of these actions may see keys
 * @param narrowBy the filter that would narrow the list, for the refusal
 */
export async function containersAsked<T extends KeyTypes>(
  kind: Containers<T>,
  { caller }: Pick<Context, 'caller'>,
  { named, ids }: Asked,
  views: readonly string[],
  narrowBy: string,
): Promise<T['container'][] | undefined> {
  const references = named ?? ids
  if (references === undefined)
    return isKeymgrAdmin(caller) ? undefined : containersPermitting(kind.entity, caller, views, narrowBy)
  const found = await Promise.all(
    [...new Set(references)].map((reference) => containersNamed(kind, caller.domain.id, reference)),
  )
  const containers = new Map(found.flat().map(({ item }) => [item.id, item]))
  return [...containers.values()].filter(
    (container) => (ids?.includes(container.id) ?? true) && may(caller, container, ...views),
  )
}

/** Keys by the ids of their records; values that are no ids are ignored. */
const keysById = <T extends KeyTypes>(
  { entity }: KeyKind<T>,
  domain: string,
  ids: readonly string[],
): Promise<Stored<T['key']>[]> =>
  entity.getMany(domain, [...new Set(ids.filter((id) => Uuid.safeParse(id).success))], 'salvage')

/** Filters that every list of keys has. */
interface KeyQuery extends ListQuery {
  readonly id?: readonly string[] | undefined
  readonly rotation_job_enabled?: boolean | undefined
}

/**
 * How a query of keys is answered: a filter matches the row's field of the same name, except for the filters given
 * here.
 */
interface Lists<T extends KeyTypes> {
  /** as `containersAsked` */
  readonly containers: T['container'][] | undefined
  /** keys that the query names by something other than their records' ids, already read */
  readonly direct?: Stored<T['key']>[] | undefined
  readonly patterns?: Selection<T['key'], T['row']>['patterns']
  /** filters without a field of the same name, and their tests */
  readonly own: readonly string[]
  readonly tests: readonly ((row: T['row']) => boolean)[]
  readonly narrowBy: string
}

/** Keys that the caller may see. A page of one container, or of all keys, costs the same at any `skip`. */
export async function listKeys<T extends KeyTypes>(
  kind: KeyKind<T>,
  { caller }: Pick<Context, 'caller'>,
  query: KeyQuery,
  { containers, direct, patterns = {}, own, tests, narrowBy }: Lists<T>,
): Promise<ResourceList<T['shown']>> {
  const domain = caller.domain.id
  const { id: ids, rotation_job_enabled: isRotated } = query
  const extraItems = direct ?? (ids && (await keysById(kind, domain, ids)))
  const all: ((row: T['row']) => boolean)[] = [
    ...fieldTests(query, [...own, ...Object.keys(patterns), 'rotation_job_enabled']),
    ...tests,
  ]
  if (isRotated !== undefined) all.push(({ job_config_id: config }) => (config !== undefined) === isRotated)
  if (containers && extraItems) all.push((row) => containers.some(({ id }) => id === kind.containerIdOf(row)))
  return listed<T['key'], T['row'], T['shown']>(kind.entity, domain, query, {
    served: extraItems ? [] : (containers?.map(({ id }) => kind.setOf(id)) ?? 'all'),
    ...(extraItems && { extraItems }),
    patterns,
    matches: (row) => all.every((test) => test(row)),
    matchesNarrows: all.length > 0,
    narrowBy,
    presentAll: (page) => presentedAll(kind, domain, page),
  })
}

/** A page's keys as shown; their containers, which contain the time of the last synchronization, are read once. */
async function presentedAll<T extends KeyTypes>(
  { containers, containerIdOf, present }: KeyKind<T>,
  domain: string,
  keys: readonly Stored<T['key']>[],
): Promise<T['shown'][]> {
  const ids = [...new Set(keys.map(({ item }) => containerIdOf(item)))]
  const found = await containers.entity.getMany(domain, ids, 'leave out')
  const byId = new Map(found.map(({ item }) => [item.id, item]))
  return keys.map((stored) => present(stored, byId.get(containerIdOf(stored.item))).item)
}
