import { memberOf } from '../answers.ts'
import { useQuery } from '@tanstack/preact-query'
import { useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'
import type { Call } from '../calls.ts'
import { synchronizationsOf } from '../clouds/containers.ts'
import type { CloudRow } from '../clouds/row.ts'
import { cloudOf } from '../connections.ts'
import type { Finding, Found, Ticked } from '../connections/row.ts'
import { CallForm } from '../forms/call-form.tsx'
import { HOME } from '../home.ts'
import { send, sendAll } from '../service.ts'
import { Page } from '../shell/page.tsx'
import { tell } from '../shell/toasts.tsx'
import { counted } from '../words/numbers.ts'
import { Empty, Failed, Loading, NotFound } from '../words/states.tsx'
import { ShownConnection, type OfConnection } from './connections/shown.tsx'
import { Steps } from './connections/steps.tsx'

/** The third step: the user chooses from the containers that the connection can see. */
export default function ConnectContainers() {
  return <ShownConnection by={Shown} />
}

function Shown({ of, connection }: OfConnection) {
  const cloud = cloudOf(of)
  const [ticked, setTicked] = useState<readonly Ticked[]>([])
  if (cloud === undefined || of.finding === undefined) return <NotFound />
  const at = `${HOME}connections/${connection.id}`
  return (
    <Page title={`Add containers of ${connection.name}`} above={<a href={at}>{connection.name}</a>}>
      <Steps here={3} />
      <p class="lead">Only the {of.finding.noun}s that you add are read. Reading changes nothing at the cloud.</p>
      <Level
        {...{ finding: of.finding, connection: connection.name, path: [], ticked }}
        toggle={(one) =>
          setTicked((now) =>
            now.some((each) => isSame(each, one)) ? now.filter((each) => !isSame(each, one)) : [...now, one],
          )
        }
      />
      {ticked.length > 0 && <Add {...{ cloud, finding: of.finding, connection: connection.name, ticked, at }} />}
    </Page>
  )
}

const isSame = (a: Ticked, b: Ticked): boolean => a.id === b.id && a.path.join('\n') === b.path.join('\n')

interface LevelProps {
  readonly finding: Finding
  readonly connection: string
  readonly path: readonly string[]
  readonly ticked: readonly Ticked[]
  readonly toggle: (one: Ticked) => void
}

/** One level of containers. */
function Level(props: LevelProps) {
  const { finding, connection, path } = props
  const { data, error, refetch } = useQuery({
    queryKey: ['found', connection, ...path],
    queryFn: ({ signal }) => finding.find(connection, path, signal),
    staleTime: Infinity, // clouds answer slowly
  })
  if (error !== null) return <Failed error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading what="Asking the cloud" />
  if (data.length === 0)
    return (
      <Empty>
        {finding.nothing}{' '}
        <button type="button" class="plain" onClick={() => void refetch()}>
          Ask again
        </button>
      </Empty>
    )
  return (
    <ul class="found">
      {data.map((found) => (
        <FoundItem key={found.id} {...props} found={found} isOnly={data.length === 1} />
      ))}
    </ul>
  )
}

interface ItemProps extends LevelProps {
  readonly found: Found
  readonly isOnly: boolean
}

function FoundItem({ found, isOnly, ...level }: ItemProps) {
  const { id, title, detail, opens, isAdded } = found
  const { path, ticked, toggle } = level
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (isOnly && opens === true) setOpen(true)
  }, [isOnly, opens])
  const words = (
    <>
      {title} {detail !== undefined && <span class="quiet">{detail}</span>}
    </>
  )
  if (opens === true)
    return (
      <li>
        <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>&nbsp;{words}
        </button>
        {isOpen && <Level {...level} path={[...path, id]} />}
      </li>
    )
  return (
    <li>
      <label>
        <input
          type="checkbox"
          disabled={isAdded === true}
          checked={isAdded === true || ticked.some((each) => isSame(each, { path, id }))}
          onChange={() => toggle({ path, id })}
        />{' '}
        {words} {isAdded === true && <span class="quiet">added already</span>}
      </label>
    </li>
  )
}

interface AddProps {
  readonly cloud: CloudRow
  readonly finding: Finding
  readonly connection: string
  readonly ticked: readonly Ticked[]
  /** address of the connection */
  readonly at: string
}

/** Adds what is selected, and starts to read its keys. */
function Add({ cloud, finding, connection, ticked, at }: AddProps) {
  const { route } = useLocation()
  const calls = (body: Record<string, unknown>): readonly Call[] => finding.add(connection, ticked, body)
  const run = async (body: Record<string, unknown>): Promise<unknown> => {
    const names: string[] = []
    await sendAll(calls(body), (answer) => names.push(...finding.namesIn(answer)))
    return send(synchronizationsOf(cloud).start(names)).catch((error: unknown) => error)
  }
  const label = `Add ${counted(ticked.length, finding.noun)} and read`
  return (
    <CallForm
      fields={finding.fields ?? []}
      call={(body) => calls(body)[0] ?? synchronizationsOf(cloud).start([])}
      run={(_, body) => run(body)}
      more={calls({}).length - 1}
      submit={label}
      done={(answer) => {
        if (answer instanceof Error) {
          tell(`They are added, and not read yet: ${answer.message}`)
          route(`${HOME}containers/${cloud.name}`)
        } else route(`${at}/reads/${memberOf(answer, 'id')}`) // the started synchronization
      }}
    />
  )
}
