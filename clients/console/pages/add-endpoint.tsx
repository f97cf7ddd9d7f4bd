import { memberOf } from '../answers.ts'
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { CallForm } from '../forms/call-form.tsx'
import { protocolNamed } from '../endpoints.ts'
import type { ProtocolRow } from '../endpoints/row.ts'
import { HOME } from '../home.ts'
import { Page } from '../shell/page.tsx'
import { tell } from '../shell/toasts.tsx'
import type { AttributeRow } from '../words/attributes.tsx'
import { NotFound } from '../words/states.tsx'
import { ShownOnce } from './endpoints/shown-once.tsx'

/** Creates an endpoint. A secret in the answer is shown before the endpoint's page. */
export default function AddEndpoint() {
  const of = protocolNamed(useRoute().params.protocol)
  if (of === undefined) return <NotFound />
  return <Form key={of.name} of={of} />
}

function Form({ of }: { readonly of: ProtocolRow }) {
  const { route } = useLocation()
  const [made, setMade] = useState<{ readonly id: string; readonly secrets: readonly AttributeRow[] }>()
  const list = `${HOME}endpoints/${of.name}`
  const open = (id: string): void => route(`${list}/${encodeURIComponent(id)}`)
  return (
    <Page title={of.add.title} above={<a href={list}>{of.title}</a>}>
      <CallForm
        fields={of.add.fields}
        call={of.add.call}
        submit={of.add.title}
        done={(answer) => {
          tell(`The ${of.noun} is there.`)
          const id = memberOf(answer, 'id') // every protocol returns the endpoint
          const secrets = of.secrets?.(answer) ?? []
          if (secrets.length === 0) open(id)
          else setMade({ id, secrets })
        }}
        cancel={() => route(list)}
      >
        <p class="lead">{of.add.about}</p>
      </CallForm>
      {made !== undefined && <ShownOnce rows={made.secrets} close={() => open(made.id)} />}
    </Page>
  )
}
