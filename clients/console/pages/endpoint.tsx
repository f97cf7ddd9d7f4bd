import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { Actions } from '../forms/actions.tsx'
import { endingBy } from '../forms/endings.ts'
import { useLive } from '../live.ts'
import { protocolNamed } from '../endpoints.ts'
import type { ProtocolRow } from '../endpoints/row.ts'
import { HOME } from '../home.ts'
import { Page } from '../shell/page.tsx'
import { Attributes, type AttributeRow } from '../words/attributes.tsx'
import { History } from '../words/history.tsx'
import { ServiceLevel } from '../words/service-level.tsx'
import { Failed, Loading, NotFound, Pill } from '../words/states.tsx'
import { Answer } from './endpoints/answer.tsx'
import { Policy } from './endpoints/policy.tsx'
import { ShownOnce } from './endpoints/shown-once.tsx'

/** One endpoint: its state, its policy, and its history. */
export default function EndpointPage() {
  const { protocol, id = '' } = useRoute().params
  const of = protocolNamed(protocol)
  if (of === undefined) return <NotFound />
  return <Shown key={id} of={of} id={id} />
}

function Shown({ of, id }: { readonly of: ProtocolRow; readonly id: string }) {
  const { data, error, refetch } = useLive<unknown>({
    key: ['endpoint', of.name, id],
    load: (signal) => of.get(id, signal),
    isOver: (endpoint) => of.summary(endpoint).isMoving !== true,
  })
  const above = <a href={`${HOME}endpoints/${of.name}`}>{of.title}</a>
  if (data === undefined)
    return (
      <Page title={of.noun} above={above}>
        {error === null ? <Loading /> : <Failed error={error} retry={() => void refetch()} />}
      </Page>
    )
  const { name, state, tone, key, createdAt, uri } = of.summary(data)
  return (
    <Page title={name} above={above} actions={<EndpointActions of={of} endpoint={data} />}>
      <p class="facts" role="status">
        <Pill tone={tone}>{state}</Pill> {key}
      </p>
      {of.policy !== undefined && <Policy row={of.policy} id={id} endpoint={data} />}
      <div class="columns even">
        <Attributes rows={[...of.attributes(data), ['Created', createdAt], ['Id', id]]} />
        <div>
          {of.isServed?.(data) !== false && <ServiceLevel id={id} />}
          <History uris={[uri]} />
        </div>
      </div>
    </Page>
  )
}

function EndpointActions({ of, endpoint }: { readonly of: ProtocolRow; readonly endpoint: unknown }) {
  const { route } = useLocation()
  const [secrets, setSecrets] = useState<readonly AttributeRow[]>([])
  const [answered, setAnswered] = useState<{ readonly title: string; readonly rows: readonly AttributeRow[] }>()
  return (
    <>
      <Actions
        actions={endingBy(of.actions, 'delete', (each) => of.summary(each).name)}
        of={endpoint}
        done={(action, answer) => {
          const rows = action.shows?.(answer)
          if (action.name === 'delete') route(`${HOME}endpoints/${of.name}`)
          else if (rows !== undefined) setAnswered({ title: action.title, rows })
          else setSecrets(of.secrets?.(answer ?? {}) ?? [])
        }}
      />
      {answered !== undefined && <Answer {...answered} close={() => setAnswered(undefined)} />}
      {secrets.length > 0 && <ShownOnce rows={secrets} close={() => setSecrets([])} />}
    </>
  )
}
