import { useLocation, useRoute } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'
import { CONNECTIONS, cloudOf, connectionNamed } from '../connections.ts'
import { createCall, isMadeHere, newFields, testCall, testNewCall } from '../connections/forms.ts'
import type { Connection, ConnectionRow } from '../connections/row.ts'
import { testedOf, type TestAnswer, type Tested } from '../connections/test-lines.ts'
import { CallForm } from '../forms/call-form.tsx'
import { HOME } from '../home.ts'
import { send } from '../service.ts'
import { Page } from '../shell/page.tsx'
import { tell } from '../shell/toasts.tsx'
import { NotFound } from '../words/states.tsx'
import { Help } from './connections/help.tsx'
import { Steps } from './connections/steps.tsx'
import { TestResult } from './connections/test-result.tsx'

const above = <a href={`${HOME}connections`}>Connections</a>

/** The first two steps of a new connection: the kind, and the credentials, which are tested before they are stored. */
export default function Connect() {
  const { service } = useRoute().params
  const of = connectionNamed(service)
  if (service !== undefined && of === undefined) return <NotFound />
  return of === undefined ? <Kinds /> : <Credentials key={of.name} of={of} />
}

function Kinds() {
  return (
    <Page title="Connect a cloud" above={above}>
      <Steps here={1} />
      <ul class="choices">
        {CONNECTIONS.map(({ name, title, about }) => (
          <li key={name}>
            <a href={`${HOME}connections/new/${name}`}>
              <b>{title}</b>
              <span>{about}</span>
            </a>
          </li>
        ))}
      </ul>
    </Page>
  )
}

/** Asks before entered secrets are lost. */
function useUnsaved() {
  const isChanged = useRef(false)
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => {
      if (isChanged.current) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [])
  return isChanged
}

function Credentials({ of }: { readonly of: ConnectionRow }) {
  const { route } = useLocation()
  const isChanged = useUnsaved()
  const [tested, setTested] = useState<Tested>()
  const [isMade, setMade] = useState(false)
  const began = useRef(0)
  const isToSave = isMade || tested?.isOk === true
  const saved = async (connection: Connection, isTested: boolean): Promise<void> => {
    isChanged.current = false
    tell(`The connection ${connection.name} is saved.`)
    if (isTested) await send(testCall(of, connection.id))
    const at = `${HOME}connections/${connection.id}`
    route(isTested && cloudOf(of) !== undefined ? `${at}/containers` : at)
  }
  const run = async (call: ReturnType<typeof createCall>): Promise<unknown> => {
    began.current = performance.now()
    return send(call)
  }
  const done = (answer: unknown): void => {
    if (isToSave) return void saved(answer as Connection, !isMade) // the answer of a creation
    setTested(testedOf(answer as TestAnswer, began.current)) // the answer of a test
  }
  const create = (body: Record<string, unknown>) => createCall(of, body)
  return (
    <Page title={`Connect ${of.title.toLowerCase()}`} above={above}>
      <Steps here={2} />
      <div class="beside">
        <CallForm
          fields={newFields(of)}
          call={(body) => (isToSave ? create(body) : testNewCall(of, body))}
          run={run}
          submit={isToSave ? 'Save and go on' : tested === undefined ? 'Test' : 'Test again'}
          changed={(body) => {
            isChanged.current = true
            setTested(undefined)
            setMade(isMadeHere(of, body))
          }}
          done={done}
          second={
            isToSave
              ? undefined
              : {
                  title: 'Save without a test',
                  call: create,
                  done: (answer) => void saved(answer as Connection, false), // the answer of a creation
                }
          }
          cancel={() => route(`${HOME}connections/new`)}
          preview={() => tested !== undefined && <TestResult of={of} tested={tested} />}
        >
          <p class="lead">{of.about} A test stores nothing, and secrets are not shown again.</p>
        </CallForm>
        <Help blocks={of.help} />
      </div>
    </Page>
  )
}
