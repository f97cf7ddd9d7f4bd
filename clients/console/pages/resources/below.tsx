import { useQuery } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { callTo } from '../../calls.ts'
import { Actions } from '../../forms/actions.tsx'
import { CallDialog } from '../../forms/call-dialog.tsx'
import type { BelowRow, Resource } from '../../resources/row.ts'
import { Shown } from '../../resources/value.tsx'
import { readPage } from '../../service.ts'
import { tell } from '../../shell/toasts.tsx'
import { Empty, Failed, Loading } from '../../words/states.tsx'

const SHOWN_MOST = 100

interface BelowProps {
  readonly row: BelowRow
  /** id of the resource */
  readonly of: string
}

/** Records that belong to a resource. */
export function Below({ row, of }: BelowProps) {
  const { title, path, by = 'id', query, add, empty } = row
  const [isAdding, setAdding] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['below', path, of, query],
    queryFn: ({ signal }) => readPage(path, { path: { [by]: of }, query: { limit: SHOWN_MOST, ...query }, signal }),
  })
  return (
    <section>
      <h2>{title}</h2>
      {error !== null && <Failed error={error} />}
      {data === undefined && error === null && <Loading />}
      {data?.total === 0 && <Empty>{empty}</Empty>}
      {data !== undefined && data.total > 0 && <Table {...{ row, of, records: data.resources }} />}
      {data !== undefined && data.total > SHOWN_MOST && (
        <p class="quiet">
          The first {SHOWN_MOST} of {data.total}.
        </p>
      )}
      {add !== undefined && (
        <button type="button" onClick={() => setAdding(true)}>
          {add.title}
        </button>
      )}
      {add !== undefined && isAdding && (
        <CallDialog
          {...{ title: add.title, about: add.about, fields: add.fields, submit: add.title }}
          call={(body) => callTo('post', add.path, { path: { [by]: of }, body })}
          close={() => setAdding(false)}
          done={() => tell(add.done)}
        />
      )}
    </section>
  )
}

function Table({ row, of, records }: BelowProps & { readonly records: readonly Resource[] }) {
  const { title, columns, actions = [] } = row
  const [[first] = ['id']] = columns
  return (
    <div class="scrolled" role="region" aria-label={title} tabIndex={0}>
      <table class="below">
        <thead>
          <tr>
            {columns.map(([member, heading]) => (
              <th key={member} scope="col">
                {heading}
              </th>
            ))}
            {actions.length > 0 && (
              <th scope="col">
                <span class="unseen">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr key={JSON.stringify(record.id ?? record.version ?? record[first])}>
              {columns.map(([member]) => (
                <td key={member}>
                  <Shown member={member} value={record[member]} />
                </td>
              ))}
              {actions.length > 0 && (
                <td>
                  <Actions actions={actions} of={{ of, record }} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
