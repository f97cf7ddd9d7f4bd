import { memberOf } from '../answers.ts'
import { useLocation, useRoute } from 'preact-iso'
import { placeNamed } from '../clouds.ts'
import { CallForm } from '../forms/call-form.tsx'
import { HOME } from '../home.ts'
import { Page } from '../shell/page.tsx'
import { tell } from '../shell/toasts.tsx'
import { NotFound } from '../words/states.tsx'

/** A form for one of the ways to create a key of a cloud. */
export default function AddKey() {
  const { cloud: name, way: wayName } = useRoute().params
  const { route } = useLocation()
  const cloud = placeNamed(name)
  const way = cloud?.keys.ways.find((each) => each.name === wayName)
  if (cloud === undefined || way === undefined) return <NotFound />
  const list = `${HOME}keys/${cloud.name}`
  return (
    <Page title={way.title} above={<a href={list}>{cloud.title} keys</a>}>
      <CallForm
        key={`${cloud.name}/${way.name}`}
        fields={way.fields}
        call={way.call}
        submit={way.title}
        done={(answer) => {
          tell('The key is there.')
          route(`${list}/${encodeURIComponent(memberOf(answer, 'id'))}`) // every way returns the key
        }}
        cancel={() => route(list)}
      >
        <p class="lead">{way.about}</p>
      </CallForm>
    </Page>
  )
}
