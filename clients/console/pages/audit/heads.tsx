import type { EntryOf } from '../../../sdk/pages.ts'
import { save } from '../../forms/files.ts'
import { FilteredList } from '../../list/filtered-list.tsx'
import type { FilterRow } from '../../list/filters.tsx'
import type { Column } from '../../list/virtual-list.tsx'
import { read } from '../../service.ts'
import { count } from '../../words/numbers.ts'
import { When } from '../../words/when.tsx'

type Head = EntryOf<'/v1/audit/heads'>

const FILTERS: readonly FilterRow[] = [
  { name: 'createdAfter', label: 'After', values: 'time', isFirst: true },
  { name: 'createdBefore', label: 'Before', values: 'time', isFirst: true },
  { name: 'domain', label: 'Domain', values: 'text' },
]

const COLUMNS: readonly Column<Head>[] = [
  { title: 'Records', width: '8rem', onPhone: true, cell: ({ size }) => count(size) },
  { title: 'Signed', width: '10rem', onPhone: true, cell: ({ createdAt }) => <When time={createdAt} /> },
  { title: 'Root', width: 'minmax(10rem, 3fr)', cell: ({ root }) => <code title={root}>{root}</code> },
  {
    ...{ title: 'Signature', width: '8rem' },
    cell: ({ size, jws }) => (
      <button
        type="button"
        class="plain"
        onClick={() => save({ name: `audit-head-${size}.jws`, type: 'application/jose', text: jws })}
      >
        Save
      </button>
    ),
  },
]

/** Signed heads of the tree of all records: each states how many records there were, and their root. */
export const Heads = () => (
  <FilteredList
    name="audit heads"
    noun="head"
    filters={FILTERS}
    load={(query, signal) => read('/v1/audit/heads', { query, signal })}
    sort="-createdAt"
    columns={COLUMNS}
    idOf={({ size }) => String(size)}
    none="No head is signed yet. One is signed every few minutes in which something is recorded."
  />
)
