import { useQuery } from '@tanstack/preact-query'
import { useRoute } from 'preact-iso'
import type { FunctionComponent } from 'preact'
import { connectionOf } from '../../connections.ts'
import type { Connection, ConnectionRow } from '../../connections/row.ts'
import { HOME } from '../../home.ts'
import { keymgr } from '../../service.ts'
import { Page } from '../../shell/page.tsx'
import { Failed, Loading, NotFound } from '../../words/states.tsx'

export interface OfConnection {
  readonly of: ConnectionRow
  readonly connection: Connection
}

/** The connection that the address names, shown by a component. */
export function ShownConnection({ by: Shown }: { readonly by: FunctionComponent<OfConnection> }) {
  const { id = '' } = useRoute().params
  const { data, error, refetch } = useQuery({
    queryKey: ['connection', id],
    queryFn: ({ signal }) => keymgr.get('/v1/connectionmgmt/connections', { query: { id: [id] }, signal }),
  })
  const connection = data?.resources[0]
  const of = connection && connectionOf(connection)
  if (connection !== undefined && of !== undefined) return <Shown key={id} of={of} connection={connection} />
  if (data !== undefined) return <NotFound />
  return (
    <Page title="Connection" above={<a href={`${HOME}connections`}>Connections</a>}>
      {error === null ? <Loading /> : <Failed error={error} retry={() => void refetch()} />}
    </Page>
  )
}
