import type { FunctionComponent } from 'preact'
import type { PathOf } from '../../sdk/calls.ts'
import { callTo } from '../calls.ts'
import type { Action } from '../forms/actions.tsx'
import { changesOf, filledFrom } from '../forms/changes.ts'
import type { FieldRow } from '../forms/fields.ts'
import type { FilterRow } from '../list/filters.tsx'
import { readPage } from '../service.ts'

/** A record of a simple resource, with members of any name. */
export type Resource = Readonly<Record<string, unknown>>

interface Row {
  /** in addresses of the console */
  readonly name: string
  readonly title: string
  /** one of them, in the singular */
  readonly noun: string
  readonly about: string
  readonly path: PathOf<'get'>
  /** path of one of them; absent where it has no page */
  readonly item?: PathOf<'get'>
  /** the member in the path of an item; default: `id` */
  readonly idBy?: string
  /** the member that names it; default: `name` */
  readonly nameBy?: string
  /** the name of the only record, whose `path` answers it instead of a list */
  readonly only?: string
  /** address below the console that a row of the list links to, if the resource has no page */
  readonly hrefOf?: (resource: Resource) => string
  /** members in lists, with their headings */
  readonly columns: readonly (readonly [member: string, title: string])[]
  readonly filters: readonly FilterRow[]
  readonly add?: {
    readonly title: string
    readonly fields: readonly FieldRow[]
    readonly path: PathOf<'post'>
    /** members of its answer that cannot be read again, with their labels */
    readonly once?: readonly (readonly [member: string, label: string])[]
  }
  readonly actions: readonly Action<Resource>[]
  /** loads what its page shows first */
  readonly first?: () => Promise<FunctionComponent<{ readonly of: Resource }>>
  /** lists of records that belong to one of them, on its page */
  readonly below?: readonly BelowRow[]
  /** shown instead of an empty list, before the link that adds one, or to the next step */
  readonly empty: string
  /** the next step where the list is empty and nothing is added by hand */
  readonly next?: { readonly title: string; readonly at: string }
}

/** A record that belongs to a resource. */
export interface Part {
  /** id of the resource that it belongs to */
  readonly of: string
  readonly record: Resource
}

/** Records that belong to a resource, as a table on its page. */
export interface BelowRow {
  readonly title: string
  /** path of the list */
  readonly path: PathOf<'get'>
  /** the parameter of the path that names the resource; default: `id` */
  readonly by?: string
  /** of the list */
  readonly query?: Readonly<Record<string, string>>
  readonly columns: Row['columns']
  /** a form for a new one */
  readonly add?: {
    readonly title: string
    readonly about: string
    readonly fields: readonly FieldRow[]
    readonly path: PathOf<'post'>
    readonly done: string
  }
  readonly actions?: readonly Action<Part>[]
  readonly empty: string
}

type With<Name extends keyof Row> = { readonly [N in Name]-?: NonNullable<Row[N]> }
/**
 * A resource whose list, page and forms follow from data. Where the list can be empty, it leads to the next step: a form
 * that adds one, or another page.
 */
export type ResourceRow = Row & (With<'add'> | With<'next'> | With<'only'>)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const idOf = ({ idBy = 'id', only }: ResourceRow, resource: Resource): string =>
  only === undefined ? textOf(resource[idBy]) : 'only'

export const nameOf = (row: ResourceRow, resource: Resource): string =>
  row.only ?? (textOf(resource[row.nameBy ?? 'name']) || idOf(row, resource))

const LINE = 'text'
/** A filter by a part of the name. */
export const byName = (name = 'name', label = 'Name'): FilterRow => ({ name, label, values: LINE, isFirst: true })

/** Records that refer to a resource. */
interface Referring {
  /** one of them, in words */
  readonly kind: string
  readonly path: PathOf<'get'>
  /** the filter of their list by the resource */
  readonly filter: string
  /** the member of the resource that the filter takes; default: its id */
  readonly by?: string
  readonly nameBy?: string
  /** what happens to them */
  readonly effect: string
}

const NAMED_MOST = 5

async function usesBy({ kind, path, filter, nameBy = 'name', effect }: Referring, id: string, signal: AbortSignal) {
  const query = { [filter]: id, limit: NAMED_MOST }
  const { total, resources } = await readPage(path, { query, signal })
  return total === 0 ? [] : [{ kind, count: total, names: resources.map((each) => textOf(each[nameBy])), effect }]
}

interface DeletionProps {
  readonly idBy?: string
  readonly nameBy?: string
  readonly about?: string
  readonly referring?: readonly Referring[]
}

/** Deletes a resource after its name is typed. The dialog shows what refers to it. */
export const deletion = (
  path: PathOf<'delete'>,
  noun: string,
  { idBy = 'id', nameBy = 'name', about = `Deletes the ${noun}.`, referring = [] }: DeletionProps = {},
): Action<Resource> => ({
  ...{ name: 'delete', title: 'Delete', done: `The ${noun} is deleted.`, about },
  ends: {
    nameOf: (resource) => textOf(resource[nameBy]) || textOf(resource[idBy]),
    uses: async (resource, signal) =>
      (await Promise.all(referring.map((each) => usesBy(each, textOf(resource[each.by ?? idBy]), signal)))).flat(),
  },
  applies: () => true,
  call: (resource) => callTo('delete', path, { path: { [idBy]: textOf(resource[idBy]) } }),
})

/**
 * Changes members of the only record of a resource.
 * @param keepsEmpty sends an emptied text as an empty one, for members that cannot be removed
 */
export const changeOnly = (
  path: PathOf<'patch'>,
  noun: string,
  fields: readonly FieldRow[],
  { keepsEmpty = false } = {},
): Action<Resource> => ({
  ...change(path, noun, fields),
  call: (resource, body) => {
    const changed = changesOf(filledFrom(fields, resource), body)
    const kept = Object.fromEntries(Object.entries(changed).map(([name, value]) => [name, value ?? '']))
    return callTo('patch', path, { body: keepsEmpty ? kept : changed })
  },
})

/** Changes members of a resource. */
export const change = (
  path: PathOf<'patch'>,
  noun: string,
  fields: readonly FieldRow[],
  { idBy = 'id' } = {},
): Action<Resource> => ({
  ...{ name: 'edit', title: 'Edit', submit: 'Save', done: `The ${noun} is changed.`, about: `Changes the ${noun}.` },
  fieldsFor: (resource) => filledFrom(fields, resource),
  applies: () => true,
  call: (resource, body) =>
    callTo('patch', path, {
      path: idBy in resource ? { [idBy]: textOf(resource[idBy]) } : {},
      body: changesOf(filledFrom(fields, resource), body),
    }),
})
