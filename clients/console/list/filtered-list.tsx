import { useLocation } from 'preact-iso'
import type { ComponentChildren } from 'preact'
import { counted } from '../words/numbers.ts'
import { FilterBar, useFilters, type FilterRow } from './filters.tsx'
import type { LoadPage, PageOf } from './pages.ts'
import { useRows } from './rows.ts'
import type { Selection } from './selection.ts'
import { VirtualList, type Column } from './virtual-list.tsx'
import { capitalized } from '../words/texts.ts'

export type Query = Readonly<Record<string, unknown>>

export interface FilteredListProps<T> {
  /** part of the query key: lists that differ in more than filters need different names */
  readonly name: string
  /** name of a row, in the singular */
  readonly noun: string
  readonly filters: readonly FilterRow[]
  readonly load: (query: Query, signal: AbortSignal) => Promise<PageOf<T>>
  /** default: the order of the service */
  readonly sort?: string
  readonly columns: readonly Column<T>[]
  readonly idOf: (row: T) => string
  /** the address of a row's page, or a function that opens it */
  readonly open?: (row: T) => void
  readonly hrefOf?: (row: T) => string
  readonly selection?: Selection
  readonly phoneLine?: (row: T) => ComponentChildren
  /** next to the count */
  readonly actions?: ComponentChildren
  readonly none: ComponentChildren
}

/** A list with its count and its filters, which are in the address. */
export function FilteredList<T>(props: FilteredListProps<T>) {
  const { name, noun, filters: rows, load, sort, columns, idOf, selection, actions, none } = props
  const { route } = useLocation()
  const { filters, set, clear } = useFilters(rows)
  const loadPage: LoadPage<T> = (skip, limit, signal) =>
    load({ ...filters, skip, limit, ...(sort !== undefined && { sort }) }, signal)
  const found = useRows([name, filters], loadPage)
  const plural = counted(2, noun).replace(/^\S+ /, '')
  const open = props.open ?? (props.hrefOf && ((row: T) => route(props.hrefOf?.(row) ?? '')))
  return (
    <>
      {rows.length > 0 && <FilterBar {...{ rows, filters, set, clear }} />}
      <div class="above-list">
        <p role="status">{found.total === undefined ? ' ' : counted(found.total, noun)}</p>
        {actions}
      </div>
      <VirtualList
        key={JSON.stringify([name, filters])}
        label={capitalized(plural)}
        rows={found}
        columns={columns}
        idOf={idOf}
        {...(open !== undefined && { open })}
        {...(selection !== undefined && { selection })}
        {...(props.phoneLine !== undefined && { phoneLine: props.phoneLine })}
        none={Object.keys(filters).length > 0 ? `No ${noun} has all of this. Change or clear the filters.` : none}
      />
    </>
  )
}
