import { useQuery } from '@tanstack/preact-query'
import { CLOUDS } from '../../clouds.ts'
import type { CloudRow } from '../../clouds/row.ts'
import { HOME } from '../../home.ts'
import { Empty, Failed, Loading } from '../../words/states.tsx'
import { Permissions } from '../containers/permissions.tsx'
import type { ShownKey } from './shown-key.ts'

/** Containers among which that of the key is sought. */
const CONTAINERS_MOST = 1_000

/** Who may do what with a key: here, and at its cloud. */
export function Policy(key: ShownKey) {
  const cloud = CLOUDS.find(({ name }) => name === key.cloud.name)
  return (
    <div class="columns even">
      {cloud === undefined ? <OwnPermissions of={key.of} /> : <InContainer {...key} cloud={cloud} />}
      {key.cloud.keys.policy !== undefined && <AtCloud {...key} load={key.cloud.keys.policy.bind(key.cloud.keys)} />}
    </div>
  )
}

/** Members of a local key that name who may use it. */
interface Owned {
  readonly meta?: {
    readonly ownerId?: string
    readonly permissions?: Readonly<Record<string, readonly string[]>>
  }
}

/** Permissions of groups to use a key of this service. */
function OwnPermissions({ of }: { readonly of: unknown }) {
  const { ownerId, permissions = {} } = (of as Owned).meta ?? {}
  const rows = Object.entries(permissions)
  return (
    <section class="card">
      <h2>Permissions</h2>
      {ownerId !== undefined && <p>Its owner is {ownerId}.</p>}
      {rows.length === 0 ? (
        <Empty>This key names no group. Roles and policies decide who may use it.</Empty>
      ) : (
        <div class="scrolled" role="region" aria-label="Permissions" tabIndex={0}>
          <table class="below">
            <thead>
              <tr>
                <th scope="col">Groups</th>
                <th scope="col">May</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(([action, groups]) => (
                <tr key={action}>
                  <td>{groups.join(', ')}</td>
                  <td>{action}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

/** Permissions in the container of a key, which hold for all its keys. */
function InContainer({ cloud, of }: ShownKey & { readonly cloud: CloudRow }) {
  const { containers } = cloud
  // the member that names the container
  const { [containers.keysBy]: name } = of as Readonly<Record<string, unknown>>
  const { data, error } = useQuery({
    queryKey: ['container of a key', cloud.name, name],
    queryFn: async ({ signal }) => {
      const { resources } = await containers.list({ limit: CONTAINERS_MOST }, signal)
      return resources.find((each) => containers.summary(each).name === name) ?? null
    },
  })
  if (error !== null) return <Failed error={error} />
  if (data === undefined) return <Loading what={`Loading the ${containers.noun}`} />
  if (data === null || containers.permissions === undefined)
    return <Empty>Nothing is known of who may use this key: its {containers.noun} is not listed here.</Empty>
  const { id, title } = containers.summary(data)
  return (
    <div>
      <p>
        These permissions hold for all keys of the {containers.noun}{' '}
        <a href={`${HOME}containers/${cloud.name}/${encodeURIComponent(id)}`}>{title}</a>.
      </p>
      <Permissions {...{ id, permissions: containers.permissions }} name={title} container={data} />
    </div>
  )
}

interface AtCloudProps extends ShownKey {
  readonly load: (key: unknown, signal: AbortSignal) => Promise<string | undefined>
}

/** The policy that the cloud itself keeps with the key. */
function AtCloud({ cloud, of, summary, load }: AtCloudProps) {
  const { data, error } = useQuery({
    queryKey: ['policy of a key', cloud.name, summary.id],
    queryFn: async ({ signal }) => (await load(of, signal)) ?? '',
  })
  return (
    <section class="card">
      <h2>Policy at the cloud</h2>
      {error !== null && <Failed error={error} />}
      {data === undefined && error === null && <Loading what="Loading the policy" />}
      {data === '' && <Empty>No policy is known. A synchronization reads it.</Empty>}
      {data !== undefined && data !== '' && (
        <pre class="scrolled" tabIndex={0} aria-label="Policy at the cloud" role="region">
          {data}
        </pre>
      )}
    </section>
  )
}
