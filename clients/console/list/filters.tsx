import { useLocation } from 'preact-iso'
import { useEffect, useId, useState } from 'preact/hooks'

/** A filter of a list. Its name is that of the query parameter in the API and in the page's address. */
export interface FilterRow {
  readonly name: string
  readonly label: string
  /** `text` accepts a text of the user, `time` a date, a list one of its words */
  readonly values: 'text' | 'flag' | 'time' | readonly string[]
  /** texts of its words, if they differ from these */
  readonly titles?: Readonly<Record<string, string>>
  /** shown without opening further filters */
  readonly isFirst?: boolean
}

/** A filter whose values are in the API description. */
export type DescribedFilter<Name extends string = string> = Partial<FilterRow> &
  Pick<FilterRow, 'label'> & { readonly name: Name }

/** Filters with their values from the API description. */
export const filtersOf = <Facts extends Readonly<Record<string, FilterRow['values']>>>(
  facts: Facts,
  rows: readonly DescribedFilter<keyof Facts & string>[],
): readonly FilterRow[] => rows.map((row) => ({ values: facts[row.name] ?? 'text', ...row }))

export type Filters = Readonly<Record<string, string>>

/** The filters in the address, so that a filtered list can be linked, reloaded and left by the back button. */
export function useFilters(rows: readonly FilterRow[]): {
  readonly filters: Filters
  readonly set: (name: string, value: string) => void
  readonly clear: () => void
} {
  const { url, route, path } = useLocation()
  const query = new URL(url, location.origin).searchParams
  const filters = Object.fromEntries(
    rows.flatMap(({ name }) => {
      const value = query.get(name) ?? ''
      return value === '' ? [] : [[name, value] as const]
    }),
  )
  const go = (next: Filters): void => {
    const text = new URLSearchParams(next).toString()
    route(text === '' ? path : `${path}?${text}`, true)
  }
  return {
    filters,
    set: (name, value) => {
      const { [name]: _, ...rest } = filters
      go(value === '' ? rest : { ...rest, [name]: value })
    },
    clear: () => go({}),
  }
}

interface FilterBarProps {
  readonly rows: readonly FilterRow[]
  readonly filters: Filters
  readonly set: (name: string, value: string) => void
  readonly clear: () => void
}

/** The filters of a list. A text filter takes effect on Enter or when it loses the focus. */
export function FilterBar({ rows, filters, set, clear }: FilterBarProps) {
  const rest = rows.filter(({ isFirst, name }) => isFirst !== true && filters[name] === undefined)
  const shown = rows.filter((row) => !rest.includes(row))
  const [isOpen, setOpen] = useState(false)
  return (
    <form class="filters" role="search" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <div class="fields">
        {[...shown, ...(isOpen ? rest : [])].map((row) => (
          <FilterField key={row.name} row={row} value={filters[row.name] ?? ''} set={set} />
        ))}
        <div class="buttons">
          {rest.length > 0 && (
            <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Fewer filters' : 'More filters'}
            </button>
          )}
          {Object.keys(filters).length > 0 && (
            <button type="button" class="plain" onClick={clear}>
              Clear filters
            </button>
          )}
        </div>
      </div>
    </form>
  )
}

interface FieldProps {
  readonly row: FilterRow
  readonly value: string
  readonly set: (name: string, value: string) => void
}

function FilterField({ row: { name, label, values, titles }, value, set }: FieldProps) {
  const id = useId()
  const shown = values === 'time' ? value.slice(0, 10) : value
  const [draft, setDraft] = useState(shown) // keeps typed text when an answer arrives meanwhile
  useEffect(() => setDraft(shown), [shown])
  const take = (event: Event & { readonly currentTarget: HTMLInputElement | HTMLSelectElement }): void => {
    const given = event.currentTarget.value.trim()
    set(name, values === 'time' && given !== '' ? new Date(`${given}T00:00:00Z`).toISOString() : given)
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {values === 'text' || values === 'time' ? (
        <input
          id={id}
          name={name}
          type={values === 'time' ? 'date' : 'search'}
          value={draft}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onChange={take}
        />
      ) : (
        <select id={id} name={name} value={value} onChange={take}>
          <option value="">Any</option>
          {(values === 'flag' ? ['true', 'false'] : values).map((each) => (
            <option key={each} value={each}>
              {titles?.[each] ?? (each === 'true' ? 'Yes' : each === 'false' ? 'No' : each)}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}
