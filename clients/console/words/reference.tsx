import { useQuery } from '@tanstack/preact-query'
import type { PathOf } from '../../sdk/calls.ts'
import { HOME } from '../home.ts'
import { readPage, readRecord } from '../service.ts'

/** The kind of record that the id in a member refers to. */
interface Referred {
  readonly path: PathOf<'get'>
  /** the path is a list, because single records have no path: the filter `id` finds the record */
  readonly isList?: true
  /** the parameter of the path; default: `id` */
  readonly idBy?: string
  /** the member that names it; default: `name` */
  readonly nameBy?: string
  /** its pages, below the console */
  readonly pages: string
}

const KEY: Referred = { path: '/v1/vault/keys2/{id}', pages: 'keys/local' }
const PROFILE: Referred = { path: '/v1/client-management/profiles/{id}', pages: 'administration/profiles' }

/** Members of any resource that contain the id of another record. */
const REFERRED: Readonly<Record<string, Referred>> = {
  source_key_id: KEY,
  local_key_id: KEY,
  client_mgmt_profile_id: PROFILE,
  profile_id: PROFILE,
  regtoken_id: { path: '/v1/client-management/regtokens/{id}', nameBy: 'label', pages: 'administration/tokens' },
  client_management_profile_id: PROFILE,
  ca_id: { path: '/v1/ca/local-cas/{id}', pages: 'administration/authorities' },
  connection_id: { path: '/v1/connectionmgmt/connections', isList: true, pages: 'connections' },
  job_config_id: { path: '/v1/scheduler/job-configs/{id}', pages: 'jobs' },
  user_id: { path: '/v1/usermgmt/users/{user_id}', idBy: 'user_id', nameBy: 'username', pages: 'users' },
}
/** Names change seldom. */
const FRESH_MS = 60_000

const isUri = (value: string): boolean => value.startsWith('keymgr:')

/** Whether a member refers to another record. */
export const isReference = (member: string, value: unknown): value is string =>
  typeof value === 'string' && value !== '' && (member in REFERRED || (member !== 'uri' && isUri(value)))

type Named = Readonly<Record<string, unknown>>

async function recordOf({ path, isList, idBy = 'id' }: Referred, id: string, signal: AbortSignal): Promise<Named> {
  if (isList !== true) return readRecord(path, { path: { [idBy]: id }, signal })
  const { resources } = await readPage(path, { query: { id: [id], limit: 1 }, signal })
  return resources[0] ?? Promise.reject(new Error('It is deleted.'))
}

interface Target {
  readonly name: string
  /** absent if the console has no page of it */
  readonly href: string | undefined
}

async function ofRecord(of: Referred, id: string, signal: AbortSignal): Promise<Target> {
  const { [of.nameBy ?? 'name']: name } = await recordOf(of, id, signal)
  const href = `${HOME}${of.pages}/${encodeURIComponent(id)}`
  return { name: typeof name === 'string' && name !== '' ? name : id, href }
}

/** Pages by URI need the rows of all places and protocols, which are loaded for the first URI. */
async function ofUri(uri: string): Promise<Target> {
  const { pageOf } = await import('../pages/audit/places.ts')
  return { name: uri, href: pageOf(uri, '') }
}

interface ReferenceProps {
  readonly member: string
  readonly id: string
  /** shown where its record cannot be read; default: the id */
  readonly name?: string | undefined
}

/** A link to another record by its name. A record that the user may not read, or that is deleted, is shown by its id. */
export function Reference({ member, id, name = id }: ReferenceProps) {
  const of = REFERRED[member]
  const { data } = useQuery({
    queryKey: ['reference', member, id],
    queryFn: ({ signal }) => (of === undefined ? ofUri(id) : ofRecord(of, id, signal)),
    staleTime: FRESH_MS,
    retry: false,
  })
  if (data?.href === undefined) return <span title={id}>{name}</span>
  return (
    <a href={data.href} title={id}>
      {data.name}
    </a>
  )
}
