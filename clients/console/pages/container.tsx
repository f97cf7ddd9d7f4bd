import { memberOf } from '../answers.ts'
import { useQuery } from '@tanstack/preact-query'
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { cloudNamed } from '../clouds.ts'
import { synchronizationsOf, testConnection } from '../clouds/containers.ts'
import type { CloudRow } from '../clouds/row.ts'
import type { Use } from '../clouds/uses.ts'
import { Actions } from '../forms/actions.tsx'
import { CallDialog } from '../forms/call-dialog.tsx'
import { endingBy } from '../forms/endings.ts'
import type { TestAnswer } from '../connections/test-lines.ts'
import { HOME } from '../home.ts'
import { Later } from '../shell/later.tsx'
import { Page } from '../shell/page.tsx'
import { tell } from '../shell/toasts.tsx'
import { AttributeList, Attributes } from '../words/attributes.tsx'
import { Failed, Loading, NotFound, Pill } from '../words/states.tsx'
import { ConnectionState, useConnection } from './containers/connection.tsx'
import type { Permissions } from './containers/permissions.tsx'
import { Recent } from './containers/recent.tsx'

/** Loaded later, because it is below the rest of the page. */
const loadPermissions = async (): Promise<typeof Permissions> =>
  (await import('./containers/permissions.tsx')).Permissions

/** One container: its attributes, its connection, and its synchronizations. */
export default function ContainerPage() {
  const { cloud, id = '' } = useRoute().params
  const of = cloudNamed(cloud)
  const { data, error, refetch } = useQuery({
    queryKey: ['container', cloud, id],
    queryFn: ({ signal }) => of?.containers.get(id, signal),
    enabled: of !== undefined,
  })
  if (of === undefined) return <NotFound />
  const above = <a href={`${HOME}containers/${of.name}`}>{of.title} containers</a>
  if (data === undefined)
    return (
      <Page title={of.containers.noun} above={above}>
        {error === null ? <Loading /> : <Failed error={error} retry={() => void refetch()} />}
      </Page>
    )
  const { name, title, state, tone, place, connection, readAt } = of.containers.summary(data)
  const { permissions } = of.containers
  return (
    <Page title={title} above={above} actions={<ContainerActions of={of} container={data} />}>
      <p class="facts">
        <Pill tone={tone}>{state}</Pill> {place}
      </p>
      <div class="columns even">
        <div>
          <Attributes rows={[...of.containers.attributes(data), ['Synchronized', readAt], ['Id', id]]} />
          <Connection of={of} name={connection} />
        </div>
        <div>
          <Recent of={of} only={name} />
          {permissions !== undefined && (
            <Later load={loadPermissions} {...{ id, permissions }} name={title} container={data} />
          )}
        </div>
      </div>
    </Page>
  )
}

const NAMED_MOST = 5

/** The keys of a container. Removing the container removes their records. */
async function keysIn(of: CloudRow, container: unknown, signal: AbortSignal): Promise<readonly Use[]> {
  const { name } = of.containers.summary(container)
  const query = { ...of.keys.once, [of.containers.keysBy]: name, limit: NAMED_MOST }
  const { total, resources } = await of.keys.list(query, signal)
  if (total === 0) return []
  const names = resources.map((key) => of.keys.summary(key).name)
  return [{ kind: 'key', count: total, names, effect: 'stay in the cloud, without their records here' }]
}

function ContainerActions({ of, container }: { readonly of: CloudRow; readonly container: unknown }) {
  const { route } = useLocation()
  const [isAsked, setAsked] = useState(false)
  const { name, title } = of.containers.summary(container)
  return (
    <>
      <button type="button" class="main" onClick={() => setAsked(true)}>
        Synchronize
      </button>
      <a
        class="button"
        href={`${HOME}keys/${of.name}?${new URLSearchParams({ [of.containers.keysBy]: name }).toString()}`}
      >
        Keys
      </a>
      <Actions
        actions={endingBy(
          of.containers.actions,
          'remove',
          (each) => of.containers.summary(each).title,
          (each, signal) => keysIn(of, each, signal),
        )}
        of={container}
        done={(action) => {
          if (action.name === 'remove') route(`${HOME}containers/${of.name}`)
        }}
      />
      {isAsked && (
        <CallDialog
          title={`Synchronize ${title}`}
          about="Reads the keys of the cloud in: new ones, changes of those that are known, and which are gone."
          fields={[]}
          call={() => synchronizationsOf(of).start([name])}
          submit="Synchronize"
          close={() => setAsked(false)}
          done={(answer) => {
            route(`${HOME}containers/${of.name}/synchronizations/${memberOf(answer, 'id')}`)
          }}
        />
      )}
    </>
  )
}

/** The connection of the container, with the result of its last test. */
function Connection({ of, name }: { readonly of: CloudRow; readonly name: string | undefined }) {
  const connection = useConnection(name)
  const [isAsked, setAsked] = useState(false)
  if (name === undefined) return null
  return (
    <section>
      <h2>Connection</h2>
      <AttributeList
        rows={[
          ['Name', <ConnectionState key={name} name={name} />],
          ['Tested', connection?.last_connection_at],
          ['Fault', connection?.last_connection_error],
        ]}
      />
      <button type="button" onClick={() => setAsked(true)}>
        Test the connection
      </button>
      {isAsked && (
        <CallDialog
          title={`Test the connection ${name}`}
          about="Makes one call to the cloud with these credentials."
          fields={[]}
          call={() => testConnection(of, name)}
          submit="Test"
          close={() => setAsked(false)}
          done={(answer) => {
            const { connection_ok: isOk, connection_error: error = '' } = answer as TestAnswer // fields of every cloud
            tell(isOk ? 'The connection works.' : `The connection fails: ${error}`)
          }}
        />
      )}
    </section>
  )
}
