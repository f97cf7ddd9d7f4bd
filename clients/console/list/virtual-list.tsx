import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Empty, Failed, Loading } from '../words/states.tsx'
import { moved } from './moves.ts'
import type { Rows } from './rows.ts'
import type { Selection } from './selection.ts'
import { useVirtualizer } from './use-virtualizer.ts'

export interface Column<T> {
  readonly title: string
  /** a track of a CSS grid, such as `2fr` or `8rem` */
  readonly width: string
  readonly cell: (row: T) => ComponentChildren
  /** a phone shows only such columns */
  readonly onPhone?: boolean
}

interface ListProps<T> {
  /** noun of the rows, in the plural */
  readonly label: string
  readonly rows: Rows<T>
  readonly columns: readonly Column<T>[]
  readonly idOf: (row: T) => string
  /** action of Enter; the first column should be a link to the same place */
  readonly open?: (row: T) => void
  readonly selection?: Selection
  /** a second line of each row on a phone; default: the columns that a phone leaves out */
  readonly phoneLine?: (row: T) => ComponentChildren
  /** shown instead of no rows */
  readonly none: ComponentChildren
}

/** As in `styles/list.css`. */
const ROW_PIXELS = 40
const TWO_LINES_PIXELS = 60
const PHONE = '(max-width: 46rem)'
const CHECK_TRACK = '2.25rem'

const tracksOf = (columns: readonly { readonly width: string }[], isSelectable: boolean): string =>
  [...(isSelectable ? [CHECK_TRACK] : []), ...columns.map(({ width }) => width)].join(' ')

/**
 * A table of any number of rows: only visible rows are drawn, and only their pages are loaded. One row is in the order
 * of the Tab key: arrows, Page Up, Page Down, Home and End lead to the others, Enter opens, Space selects, and `x`
 * selects the rows from there.
 */
export function VirtualList<T>({ label, rows, columns, idOf, open, selection, phoneLine, none }: ListProps<T>) {
  const scroller = useRef<HTMLDivElement>(null)
  const total = rows.total ?? 0
  const line = useMatches(PHONE) ? (phoneLine ?? leftOutOf(columns)) : undefined
  const rowPixels = line === undefined ? ROW_PIXELS : TWO_LINES_PIXELS
  const virtualizer = useVirtualizer({ count: total, rowPixels, scroller: () => scroller.current })
  const seen = virtualizer.getVirtualItems()
  const [active, setActive] = useState(0)
  const [focused, setFocused] = useState(false)
  const anchor = useRef(0)
  const [from, to] = [seen[0]?.index ?? 0, seen.at(-1)?.index ?? 0]
  useEffect(() => rows.show(from, to), [from, to])
  useLayoutEffect(() => {
    if (focused) scroller.current?.querySelector<HTMLElement>(`[aria-rowindex="${active + 2}"]`)?.focus()
  }, [active, focused, from, to])
  useLayoutEffect(() => {
    scroller.current?.style.setProperty('--tracks', tracksOf(columns, selection !== undefined))
    const onPhone = columns.filter(({ onPhone: isShown }) => isShown)
    scroller.current?.style.setProperty('--phone-tracks', tracksOf(onPhone, selection !== undefined))
  })
  if (rows.error !== null && rows.total === undefined) return <Failed error={rows.error} retry={rows.retry} />
  if (rows.total === 0) return <Empty>{none}</Empty>

  /** Selects the rows from the one that was selected last, as far as they are loaded. */
  const selectTo = (index: number): void => {
    const [first, last] = [Math.min(anchor.current, index), Math.max(anchor.current, index)]
    const range = Array.from({ length: last - first + 1 }, (_, at) => rows.at(first + at))
    selection?.set([...selection.ids, ...range.flatMap((each) => (each === undefined ? [] : idOf(each)))])
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = moved(event.key, active, total, Math.floor((scroller.current?.clientHeight ?? 0) / rowPixels) - 2)
    const row = rows.at(active)
    if (next !== undefined) {
      setActive(next)
      setFocused(true)
      virtualizer.scrollToIndex(next, { align: 'auto' })
    } else if (event.key === 'Enter' && isRow(event.target) && row !== undefined) open?.(row)
    else if (event.key === ' ' && isRow(event.target) && row !== undefined) {
      anchor.current = active
      selection?.toggle(idOf(row))
    } else if (event.key === 'x' && isRow(event.target)) selectTo(active)
    else return
    event.preventDefault()
  }
  return (
    <>
      {rows.error !== null && <Failed error={rows.error} retry={rows.retry} />}
      <div
        ref={scroller}
        class="list"
        role="grid"
        aria-label={label}
        aria-rowcount={rows.total === undefined ? -1 : total + 1}
        aria-multiselectable={selection !== undefined}
        onKeyDown={onKeyDown}
        onBlurCapture={(event: FocusEvent) => {
          if (!(event.relatedTarget instanceof Node && scroller.current?.contains(event.relatedTarget)))
            setFocused(false)
        }}
      >
        <div role="row" aria-rowindex={1} class="row head">
          {selection !== undefined && (
            <span role="columnheader">
              <span class="unseen">Selected</span>
            </span>
          )}
          {columns.map(({ title, onPhone }) => (
            <span key={title} role="columnheader" class={onPhone === true ? '' : 'wide'}>
              {title}
            </span>
          ))}
        </div>
        <div
          class="all"
          role="presentation"
          ref={(all) => all?.style.setProperty('height', `${virtualizer.getTotalSize()}px`)}
        >
          {seen.map(({ index, start }) => (
            <Row
              key={index}
              {...{ index, start, columns, selection, idOf, line, row: rows.at(index), isActive: index === active }}
              take={(isRowItself) => {
                setActive(index)
                if (!isRowItself) setFocused(false)
              }}
            />
          ))}
        </div>
      </div>
      {rows.total === undefined && <Loading what={`Loading ${label.toLowerCase()}`} />}
    </>
  )
}

/** Whether the screen is as a media query states, also after it was turned or the window has another width. */
function useMatches(query: string): boolean {
  const [media] = useState(() => matchMedia(query))
  const [matches, setMatches] = useState(media.matches)
  useEffect(() => {
    const follow = (): void => setMatches(media.matches)
    follow()
    media.addEventListener('change', follow)
    return () => media.removeEventListener('change', follow)
  }, [])
  return matches
}

/** The cells of columns that a phone leaves out, in one line; `undefined` if there are none. */
function leftOutOf<T>(columns: readonly Column<T>[]): ListProps<T>['phoneLine'] {
  const rest = columns.filter(({ onPhone }) => onPhone !== true)
  if (rest.length === 0) return undefined
  return (row) =>
    rest.map(({ title, cell }, at) => (
      <span key={title} title={title}>
        {at > 0 && ' · '}
        {cell(row)}
      </span>
    ))
}

const isRow = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.role === 'row'

interface RowProps<T> extends Pick<ListProps<T>, 'columns' | 'idOf'> {
  readonly selection: Selection | undefined
  readonly line: ListProps<T>['phoneLine']
  readonly index: number
  readonly start: number
  readonly row: T | undefined
  readonly isActive: boolean
  readonly take: (isRowItself: boolean) => void
}

/** A row; its focusable elements are in the order of the Tab key only while the row is the active one. */
function Row<T>({ index, start, row, isActive, take, columns, idOf, selection, line }: RowProps<T>) {
  const element = useRef<HTMLDivElement>(null)
  const isSelected = row !== undefined && selection?.ids.has(idOf(row)) === true
  useLayoutEffect(() => {
    element.current?.style.setProperty('transform', `translateY(${start}px)`)
    for (const inner of element.current?.querySelectorAll<HTMLElement>('a, button, input') ?? [])
      inner.tabIndex = isActive ? 0 : -1
  })
  return (
    <div
      ref={element}
      role="row"
      class={line === undefined ? 'row' : 'row two-lines'}
      aria-rowindex={index + 2}
      aria-selected={selection === undefined ? undefined : isSelected}
      aria-busy={row === undefined}
      tabIndex={isActive ? 0 : -1}
      onFocus={(event) => take(event.target === event.currentTarget)}
    >
      {selection !== undefined && (
        <span role="gridcell">
          {row !== undefined && (
            <input
              type="checkbox"
              aria-label={`Select row ${index + 1}`}
              checked={isSelected}
              onChange={() => selection.toggle(idOf(row))}
            />
          )}
        </span>
      )}
      {columns.map(({ title, cell, onPhone }) => (
        <span key={title} role="gridcell" class={onPhone === true ? '' : 'wide'}>
          {row === undefined ? <span class="awaited">…</span> : cell(row)}
        </span>
      ))}
      {line !== undefined && (
        <span role="gridcell" class="second quiet">
          {row !== undefined && line(row)}
        </span>
      )}
    </div>
  )
}
