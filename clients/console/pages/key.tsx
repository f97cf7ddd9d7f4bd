import { useQuery } from '@tanstack/preact-query'
import type { FunctionComponent } from 'preact'
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { placeNamed } from '../clouds.ts'
import type { PlaceRow } from '../clouds/row.ts'
import { Actions } from '../forms/actions.tsx'
import { HOME } from '../home.ts'
import { Later } from '../shell/later.tsx'
import { Page } from '../shell/page.tsx'
import { Tabs } from '../shell/tabs.tsx'
import { History } from '../words/history.tsx'
import { Failed, Loading, NotFound, Pill } from '../words/states.tsx'
import { KeyAttributes } from './keys/attributes.tsx'
import { BegunJobs, type Begun } from './keys/begun-jobs.tsx'
import type { ShownKey } from './keys/shown-key.ts'
import { urisOf, useVersions, Versions } from './keys/versions.tsx'
import { Warnings } from './keys/warnings.tsx'
import { WhereUsed } from './keys/where-used.tsx'

/** Records and versions in the summary; the tabs have all of them. */
const NEWEST = 3

interface TabRow {
  /** in addresses; empty for the first */
  readonly name: string
  readonly title: string
  readonly Shown: FunctionComponent<ShownKey>
}

/** The tabs of a key's page, in the order of display. */
const TABS: readonly TabRow[] = [
  { name: '', title: 'Summary', Shown: Summary },
  { name: 'versions', title: 'Versions', Shown: (key) => <Versions {...key} /> },
  {
    ...{ name: 'policy', title: 'Policy' },
    Shown: (key) => <Later load={async () => (await import('./keys/policy.tsx')).Policy} {...key} />,
  },
  { name: 'history', title: 'History', Shown: (key) => <KeyHistory {...key} /> },
  {
    ...{ name: 'attributes', title: 'All attributes' },
    Shown: (key) => <Later load={async () => (await import('./keys/all-attributes.tsx')).AllAttributes} {...key} />,
  },
]

/** One key: its actions, and tabs with its uses, versions, policy, history and attributes. */
export default function KeyPage() {
  const { cloud: name, id = '', tab = '' } = useRoute().params
  const cloud = placeNamed(name)
  const here = TABS.find((each) => each.name === tab)
  const [begun, setBegun] = useState<Begun>()
  const { data, error, refetch } = useQuery({
    queryKey: ['key', name, id],
    queryFn: ({ signal }) => cloud?.keys.get(id, signal),
    enabled: cloud !== undefined,
  })
  if (cloud === undefined || here === undefined) return <NotFound />
  const above = <a href={`${HOME}keys/${cloud.name}`}>{cloud.title} keys</a>
  if (data === undefined)
    return (
      <Page title="Key" above={above}>
        {error === null ? <Loading what="Loading the key" /> : <Failed error={error} retry={() => void refetch()} />}
      </Page>
    )
  const summary = cloud.keys.summary(data)
  const at = `${HOME}keys/${cloud.name}/${encodeURIComponent(id)}`
  const tabs = TABS.map((each) => ({ title: each.title, at: each.name === '' ? at : `${at}/${each.name}` }))
  return (
    <Page title={summary.name} above={above} actions={<KeyActions {...{ cloud, id, begin: setBegun }} of={data} />}>
      {begun !== undefined && <BegunJobs key={begun.ids[0]} begun={begun} />}
      <p class="facts">
        <Pill tone={summary.tone}>{summary.state}</Pill> {summary.spec} · {summary.place}
      </p>
      <Warnings {...{ cloud, summary, at }} of={data} />
      <Tabs label="Parts of the key" tabs={tabs} here={here.title} />
      <here.Shown key={`${id} ${tab}`} {...{ cloud, summary, at }} of={data} />
    </Page>
  )
}

/** What is asked first: facts, uses, and the newest versions and records. */
function Summary(key: ShownKey) {
  return (
    <>
      <WhereUsed {...key} />
      <div class="columns">
        <KeyAttributes {...key} />
        <div>
          <Versions {...key} most={NEWEST} />
          <KeyHistory {...key} most={NEWEST} />
        </div>
      </div>
    </>
  )
}

/** The history of all versions. */
function KeyHistory({ most, ...key }: ShownKey & { readonly most?: number }) {
  const { data } = useVersions(key)
  return <History uris={urisOf(key, data)} {...(most !== undefined && { most, all: `${key.at}/history` })} />
}

interface KeyActionsProps {
  readonly cloud: PlaceRow
  /** a key of the cloud */
  readonly of: unknown
  readonly id: string
  readonly begin: (jobs: Begun) => void
}

function KeyActions({ cloud, of, id, begin }: KeyActionsProps) {
  const { route } = useLocation()
  return (
    <Actions
      actions={cloud.keys.actions}
      main="rotate"
      of={of}
      done={(action, answer) => {
        const { id: next } = (answer ?? {}) as { readonly id?: string } // a key, a job or nothing
        if (action.job !== undefined && next !== undefined) begin({ ids: [next], title: action.title, job: action.job })
        else if (action.opens === true && next !== undefined && next !== id)
          route(`${HOME}keys/${cloud.name}/${encodeURIComponent(next)}`)
        else if (action.name === 'delete') route(`${HOME}keys/${cloud.name}`)
      }}
    />
  )
}
