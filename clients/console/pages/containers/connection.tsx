import { useQuery } from '@tanstack/preact-query'
import { keymgr } from '../../service.ts'
import { Pill } from '../../words/states.tsx'

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
  const isOk = connection?.last_connection_ok
  return (
    <>
      {connection !== undefined && (
        <Pill tone={isOk === true ? 'good' : isOk === false ? 'bad' : 'quiet'}>
          {isOk === true ? 'Connected' : isOk === false ? 'Failed' : 'Not tested'}
        </Pill>
      )}{' '}
      {name}
    </>
  )
}
