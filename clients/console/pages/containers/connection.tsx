import { useQuery } from '@tanstack/preact-query'
import { HOME } from '../../home.ts'
import { keymgr } from '../../service.ts'
import { StateOfTest } from '../connections/state.tsx'

/** Maximum number of connections that are loaded; any others are shown without their state. */
const MOST = 1_000

/** The state of a connection, by name, from its last test. */
export function useConnection(name: string | undefined) {
  const { data } = useQuery({
    queryKey: ['connections'],
    queryFn: ({ signal }) => keymgr.get('/v1/connectionmgmt/connections', { query: { limit: MOST }, signal }),
    enabled: name !== undefined,
  })
  return data?.resources.find((each) => each.name === name)
}

export function ConnectionState({ name }: { readonly name: string | undefined }) {
  const connection = useConnection(name)
  if (name === undefined) return <span class="quiet">–</span>
  if (connection === undefined) return <>{name}</>
  return (
    <>
      <StateOfTest connection={connection} /> <a href={`${HOME}connections/${connection.id}`}>{name}</a>
    </>
  )
}
