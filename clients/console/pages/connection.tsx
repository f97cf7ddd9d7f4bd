import { useQuery } from '@tanstack/preact-query'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { callTo } from '../calls.ts'
import type { Use } from '../clouds/uses.ts'
import { cloudOf } from '../connections.ts'
import { attributesOf, changeCall, changeFields, testCall } from '../connections/forms.ts'
import type { Connection, ConnectionRow } from '../connections/row.ts'
import { testedOf, type TestAnswer, type Tested } from '../connections/test-lines.ts'
import { Actions, type Action } from '../forms/actions.tsx'
import { BusyButton } from '../forms/buttons.tsx'
import { HOME } from '../home.ts'
import { send } from '../service.ts'
import { Page } from '../shell/page.tsx'
import { Attributes } from '../words/attributes.tsx'
import { History } from '../words/history.tsx'
import { Empty, Failed, Loading } from '../words/states.tsx'
import { When } from '../words/when.tsx'
import { ShownConnection, type OfConnection } from './connections/shown.tsx'
import { StateOfTest } from './connections/state.tsx'
import { TestResult } from './connections/test-result.tsx'

const MOST = 100

/** The containers that use a connection. */
async function containersOf(of: ConnectionRow, { name }: Connection, signal: AbortSignal) {
  const cloud = cloudOf(of)
  if (cloud === undefined) return { total: 0, containers: [] }
  const { total, resources } = await cloud.containers.list({ connection: name, limit: MOST }, signal)
  return { total, containers: resources.map((each) => cloud.containers.summary(each)) }
}

const actionsOf = (of: ConnectionRow): readonly Action<Connection>[] => [
  {
    ...{ name: 'change', title: 'Change credentials', submit: 'Save', done: 'The connection is changed. Test it.' },
    about: 'The name stays, and so do secrets that you do not enter again.',
    fieldsFor: (connection) => changeFields(of, connection),
    applies: () => true,
    call: (connection, body) => changeCall(of, connection, body),
  },
  {
    ...{ name: 'delete', title: 'Delete', done: 'The connection is deleted.' },
    about: 'Deletes the credentials. Containers that use the connection stay, and fail until they have another one.',
    applies: () => true,
    ends: {
      nameOf: ({ name }) => name,
      uses: async (connection, signal): Promise<readonly Use[]> => {
        const { total, containers } = await containersOf(of, connection, signal)
        if (total === 0) return []
        const effect = 'are no longer read, and their keys cannot be changed from here'
        return [
          {
            kind: cloudOf(of)?.containers.noun ?? '',
            count: total,
            names: containers.map(({ title }) => title),
            effect,
          },
        ]
      },
    },
    call: ({ id }) =>
      callTo('post', '/v1/connectionmgmt/connections/{id}/delete', { path: { id }, body: { force: true } }),
  },
]

/** One connection: its last test, its attributes, and the containers that use it. */
export default function ConnectionPage() {
  return <ShownConnection by={Shown} />
}

function Shown({ of, connection }: OfConnection) {
  const { route } = useLocation()
  const cloud = cloudOf(of)
  return (
    <Page
      title={connection.name}
      above={<a href={`${HOME}connections`}>Connections</a>}
      actions={
        <>
          {cloud !== undefined && (
            <a class="button main" href={`${HOME}connections/${connection.id}/containers`}>
              {cloud.containers.add.title}
            </a>
          )}
          <Actions
            actions={actionsOf(of)}
            of={connection}
            done={({ name }) => {
              if (name === 'delete') route(`${HOME}connections`)
            }}
          />
        </>
      }
    >
      <p class="facts">
        <StateOfTest connection={connection} /> {of.title}
      </p>
      <div class="columns even">
        <div>
          <Test of={of} connection={connection} />
          <Attributes
            rows={[
              ...attributesOf(of, connection),
              ['Description', connection.description],
              ['Created', connection.createdAt],
              ['Id', connection.id],
            ]}
          />
        </div>
        <div>
          <UsedBy of={of} connection={connection} />
          <History uris={[connection.uri]} />
        </div>
      </div>
    </Page>
  )
}

/** Tests the connection, and looks up the containers that it can see. */
async function testedNow(of: ConnectionRow, { id, name }: Connection): Promise<Tested> {
  const began = performance.now()
  const tested = testedOf((await send(testCall(of, id))) as TestAnswer, began) // every kind
  if (!tested.isOk || of.finding === undefined) return tested
  const found = await of.finding.find(name, [], AbortSignal.timeout(30_000)).then(
    ({ length }) => length,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  )
  return { ...tested, found }
}

function Test({ of, connection }: OfConnection) {
  const { last_connection_ok: isOk, last_connection_error: error, last_connection_at: at } = connection
  const { last_connection_failed_step: step } = connection
  const [now, setNow] = useState<Tested>()
  const [isTesting, setTesting] = useState(false)
  const [fault, setFault] = useState<unknown>()
  const test = async (): Promise<void> => {
    setTesting(true)
    try {
      setNow(await testedNow(of, connection))
      setFault(undefined)
    } catch (failure) {
      setFault(failure)
    } finally {
      setTesting(false)
    }
  }
  const shown = now ?? (isOk === undefined ? undefined : { isOk, error, step })
  return (
    <section>
      <h2>Test</h2>
      {fault !== undefined && <Failed error={fault} />}
      {shown === undefined ? <Empty>It was not tested yet.</Empty> : <TestResult of={of} tested={shown} />}
      {at !== undefined && (
        <p class="quiet">
          Last tested <When time={at} />.
        </p>
      )}
      <BusyButton title="Test" busyTitle="Testing …" isBusy={isTesting} onClick={() => void test()} />
    </section>
  )
}

function UsedBy({ of, connection }: OfConnection) {
  const cloud = cloudOf(of)
  const { data, error } = useQuery({
    queryKey: ['containers-of', connection.name],
    queryFn: ({ signal }) => containersOf(of, connection, signal),
    enabled: cloud !== undefined,
  })
  if (cloud === undefined) return null
  return (
    <section>
      <h2>Used by</h2>
      {error !== null && <Failed error={error} />}
      {data === undefined && error === null && <Loading what="Loading the containers" />}
      {data?.total === 0 && (
        <Empty>
          No {cloud.containers.noun} uses it.{' '}
          <a href={`${HOME}connections/${connection.id}/containers`}>{cloud.containers.add.title}</a>
        </Empty>
      )}
      <ul class="plain-list">
        {data?.containers.map(({ id, title, readAt }) => (
          <li key={id}>
            <a href={`${HOME}containers/${cloud.name}/${encodeURIComponent(id)}`}>{title}</a>{' '}
            <span class="quiet">
              read <When time={readAt} />
            </span>
          </li>
        ))}
      </ul>
      {data !== undefined && data.total > MOST && <p class="quiet">And {data.total - MOST} more.</p>}
    </section>
  )
}
