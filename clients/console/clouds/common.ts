import type { Query } from '../service.ts'
import type { Tone } from '../words/states.tsx'
import type { CloudRow, KeySummary, PlaceRow } from './row.ts'

/** States of keys, in words common to all places. */
export const LIVES: Readonly<Record<Tone, string>> = {
  good: 'In use',
  quiet: 'Disabled',
  waiting: 'Not yet in use',
  bad: 'Ending or ended',
}

/** A selection of keys of all places that has a name. */
export interface View {
  readonly name: string
  readonly title: string
  /** filters that it adds */
  readonly filters: (now: number) => Readonly<Record<string, string>>
  /** whether a key belongs to it; absent: the filters decide */
  readonly holds?: (key: KeySummary) => boolean
}

const DAY_MS = 86_400_000
/** Keys that end within this time are shown as expiring. */
const SOON_DAYS = 30

export const VIEWS: readonly View[] = [
  { name: '', title: 'All keys', filters: () => ({}) },
  {
    ...{ name: 'expiring', title: 'Expiring' },
    filters: (now) => {
      const today = Math.floor(now / DAY_MS) * DAY_MS // the same address all day
      return { expires_before: new Date(today + SOON_DAYS * DAY_MS).toISOString() }
    },
  },
  {
    ...{ name: 'never-rotated', title: 'Never rotated' },
    filters: () => ({ isRotated: 'false' }),
    holds: ({ isRotated }) => isRotated === false,
  },
]

/** The filters of one place, or the reasons why none of its keys is in the list. */
export interface Translated {
  readonly query: Query
  /** filters that the place does not have */
  readonly lacks: readonly string[]
  /** no key of the place passes the filters */
  readonly isEmpty: boolean
}

type Part = Query | 'lacks' | 'empty'

/** The filters of all states of a tone together: values of one filter are alternatives. */
function statesOf({ keys: { states } }: PlaceRow, tone: string): Part {
  const rows = states.filter((state) => state.tone === tone).map(({ filters }) => filters)
  const names = new Set(rows.flatMap((filters) => Object.keys(filters)))
  if (rows.length === 0) return 'empty'
  return Object.fromEntries(
    [...names].map((name) => [name, [...new Set(rows.flatMap(({ [name]: value }) => value ?? []))]]),
  )
}

const isCloud = (place: PlaceRow): place is CloudRow => 'containers' in place

/** @param value name of a cloud and, after a slash, of a container */
function containerOf(place: PlaceRow, value: string): Part {
  if (!isCloud(place) || !value.startsWith(`${place.name}/`)) return 'empty'
  return { [place.containers.keysBy]: value.slice(place.name.length + 1) }
}

const asFilter = (name: string | undefined, value: string): Part => (name === undefined ? 'lacks' : { [name]: value })

/** Each filter of the list of all keys in the terms of one place. */
const FILTERS: Readonly<Record<string, (place: PlaceRow, value: string) => Part>> = {
  place: ({ name }, value) => (name === value ? {} : 'empty'),
  name: ({ keys }, value) => asFilter(keys.common.name, value),
  life: statesOf,
  container: containerOf,
  material: ({ keys }, value) => {
    if (keys.common.material === undefined) return value === 'keymgr' ? {} : 'empty' // all its material is made here
    return { [keys.common.material]: value }
  },
  label: ({ keys }, value) => asFilter(keys.common.label, value),
  expires_before: ({ keys }, value) => asFilter(keys.common.expires, value),
  isRotated: ({ keys }) => (keys.common.knowsRotation ? {} : 'lacks'),
  createdAfter: (_, value) => ({ createdAfter: value }),
  createdBefore: (_, value) => ({ createdBefore: value }),
}

/** The filters of the list of all keys for one place. */
export function translated(place: PlaceRow, filters: Readonly<Record<string, string>>): Translated {
  const parts = Object.entries(filters).map(([name, value]) => [name, FILTERS[name]?.(place, value) ?? {}] as const)
  const isOfLife = filters.life === undefined && (filters.expires_before ?? filters.isRotated) !== undefined
  return {
    query: Object.assign(
      { ...place.keys.once, ...(isOfLife && place.keys.common.usable) },
      ...parts.map(([, part]) => (typeof part === 'object' ? part : {})),
    ) as Query,
    lacks: parts.flatMap(([name, part]) => (part === 'lacks' ? [name] : [])),
    isEmpty: parts.some(([, part]) => part === 'empty'),
  }
}
