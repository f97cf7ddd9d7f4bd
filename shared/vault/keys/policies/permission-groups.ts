import { Refusal, type BrokenField } from '../../../base/errors.ts'
import { lowestUuid } from '../../../base/ids.ts'
import { Uuid } from '../../../http/common-fields.ts'
import type { Caller, Context } from '../../../http/context.ts'
import { groupDirectory } from '../../../http/group-directory.ts'
import type { ResourceList } from '../../../resource/listed.ts'
import type { Stored } from '../../../store/entity.ts'
import type { LocalKey } from '../model.ts'

type Meta = NonNullable<LocalKey['meta']>
type Permissions = NonNullable<Meta['permissions']>

/** Records from before groups were referred to by id contain their names. */
const isId = (entry: string): boolean => Uuid.safeParse(entry).success

/**
 * Whether the caller is in the group that an entry of `meta.permissions` refers to. Ours: an old entry by name refers
 * to the group that had the name then, so a group younger than the record does not count.
 */
export function isInGroup({ groups, groupIds = [] }: Caller, entry: string, createdAt: string): boolean {
  if (isId(entry)) return groupIds.includes(entry)
  const id = groupIds[groups.indexOf(entry)]
  return id !== undefined && id < lowestUuid(new Date(createdAt))
}

const entriesOf = (permissions: Permissions): string[] => [
  ...new Set(Object.values(permissions).flatMap((entries) => entries)),
]

const mapped = <M extends object>(meta: M, permissions: Permissions, of: (entry: string) => string | undefined) => ({
  ...meta,
  permissions: Object.fromEntries(
    Object.entries(permissions).map(([use, entries]) => [
      use,
      [...new Set(entries.flatMap((entry) => of(entry) ?? []))],
    ]),
  ),
})

/**
 * `meta` of a body, with the groups of its permissions converted to ids; the body gives names or ids.
 * @param before the former record: ids of groups deleted since may stay
 * @throws Refusal NOT_FOUND pointing at every group that does not exist
 */
export async function withGroupIds<M extends { permissions?: Permissions | null | undefined } | null | undefined>(
  { caller }: Pick<Context, 'caller'>,
  meta: M,
  before?: Meta,
): Promise<M> {
  const permissions = meta?.permissions
  if (!meta || !permissions || Object.keys(permissions).length === 0) return meta
  const entries = entriesOf(permissions)
  const directory = await groupDirectory()
  const byName = await directory.idsOf(caller.domain.id, entries)
  const byId = await directory.namesOf(caller.domain.id, entries.filter(isId))
  const kept = new Set(entriesOf(before?.permissions ?? {}).filter(isId))
  const idOf = (entry: string): string | undefined =>
    byName.get(entry) ?? (byId.has(entry) || kept.has(entry) ? entry : undefined)
  const errors = Object.entries(permissions).flatMap(([use, named]) =>
    named.flatMap((entry, at): BrokenField[] =>
      idOf(entry) === undefined
        ? [{ pointer: `#/meta/permissions/${use}/${at}`, detail: 'is no group of this domain' }]
        : [],
    ),
  )
  if (errors.length > 0) throw new Refusal('NOT_FOUND', 'Not every group of the permissions is there.', { errors })
  return mapped(meta, permissions, idOf)
}

interface Described {
  readonly meta?: Meta | undefined
}

/** Records as shown, with the groups of their permissions by name; a deleted group is shown by its id. */
export async function withGroupNames<T extends Described>(
  { caller }: Pick<Context, 'caller'>,
  records: readonly T[],
): Promise<T[]> {
  const ids = [...new Set(records.flatMap(({ meta }) => entriesOf(meta?.permissions ?? {})))].filter(isId)
  if (ids.length === 0) return [...records]
  const names = await (await groupDirectory()).namesOf(caller.domain.id, ids)
  return records.map((record) =>
    record.meta?.permissions === undefined
      ? record
      : { ...record, meta: mapped(record.meta, record.meta.permissions, (entry) => names.get(entry) ?? entry) },
  )
}

type Verb<A extends unknown[], Out> = (context: Context, ...args: A) => Promise<Out>

/** Wraps a verb: the groups in its answer are shown by name. */
export const naming =
  <A extends unknown[], T extends Described>(verb: Verb<A, T>): Verb<A, T> =>
  async (context, ...args) => {
    const record = await verb(context, ...args)
    const [named = record] = await withGroupNames(context, [record])
    return named
  }

/** The same for a verb that returns a stored record. */
export const namingStored =
  <A extends unknown[], T extends Described>(verb: Verb<A, Stored<T>>): Verb<A, Stored<T>> =>
  async (context, ...args) => {
    const { item, rev } = await verb(context, ...args)
    const [named = item] = await withGroupNames(context, [item])
    return { item: named, rev }
  }

/** The same for a verb that returns a list. */
export const namingListed =
  <A extends unknown[], T extends Described>(verb: Verb<A, ResourceList<T>>): Verb<A, ResourceList<T>> =>
  async (context, ...args) => {
    const list = await verb(context, ...args)
    return { ...list, resources: await withGroupNames(context, list.resources) }
  }

/** `meta` for a successor's record: old entries by name become the ids of their groups, or are dropped. */
export async function settledMeta(
  { caller }: Pick<Context, 'caller'>,
  { meta, createdAt }: { readonly meta?: Meta | undefined; readonly createdAt: string },
): Promise<Meta | undefined> {
  const permissions = meta?.permissions
  const names = entriesOf(permissions ?? {}).filter((entry) => !isId(entry))
  if (meta === undefined || permissions === undefined || names.length === 0) return meta
  const ids = await (await groupDirectory()).idsOf(caller.domain.id, names)
  const oldest = lowestUuid(new Date(createdAt))
  return mapped(meta, permissions, (entry) => {
    const id = isId(entry) ? entry : ids.get(entry)
    return id !== undefined && (isId(entry) || id < oldest) ? id : undefined
  })
}
