import { useQuery } from '@tanstack/preact-query'
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { CLOUDS, placeNamed } from '../clouds.ts'
import type { PlaceRow, KeySummary, VersionView } from '../clouds/row.ts'
import type { Use } from '../clouds/uses.ts'
import { TimeLine } from '../figures/time-line.tsx'
import { Actions } from '../forms/actions.tsx'
import { Uses, useUses } from '../forms/uses.tsx'
import { HOME } from '../home.ts'
import { Page } from '../shell/page.tsx'
import { Attributes, type AttributeRow } from '../words/attributes.tsx'
import { History } from '../words/history.tsx'
import { Reference } from '../words/reference.tsx'
import { Failed, Loading, NotFound, Pill } from '../words/states.tsx'
import { BegunJobs, type Begun } from './keys/begun-jobs.tsx'
import { Facts, originNodes, type CommonMembers } from './keys/facts.tsx'
import { Graph } from './keys/graph.tsx'

/** The filter of lists by the local key of the material. */
const MATERIAL_OF = 'local_key_id'

/** One key: its attributes, its uses, its versions, its history, and its actions. */
export default function KeyPage() {
  const { cloud: name, id = '' } = useRoute().params
  const cloud = placeNamed(name)
  const [begun, setBegun] = useState<Begun>()
  const { data, error, refetch } = useQuery({
    queryKey: ['key', name, id],
    queryFn: ({ signal }) => cloud?.keys.get(id, signal),
    enabled: cloud !== undefined,
  })
  if (cloud === undefined) return <NotFound />
  const above = <a href={`${HOME}keys/${cloud.name}`}>{cloud.title} keys</a>
  if (data === undefined)
    return (
      <Page title="Key" above={above}>
        {error === null ? <Loading what="Loading the key" /> : <Failed error={error} retry={() => void refetch()} />}
      </Page>
    )
  const summary = cloud.keys.summary(data)
  return (
    <Page title={summary.name} above={above} actions={<KeyActions {...{ cloud, id, begin: setBegun }} of={data} />}>
      {begun !== undefined && <BegunJobs key={begun.ids[0]} begun={begun} />}
      <p class="facts">
        <Pill tone={summary.tone}>{summary.state}</Pill> {summary.spec} · {summary.place}
      </p>
      <WhereUsed cloud={cloud} of={data} summary={summary} />
      <div class="columns">
        <KeyAttributes cloud={cloud} of={data} summary={summary} />
        <Versions cloud={cloud} of={data} summary={summary} />
      </div>
    </Page>
  )
}

interface OfKey {
  readonly cloud: PlaceRow
  /** a key of the cloud */
  readonly of: unknown
}

interface KeyActionsProps extends OfKey {
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

/** Records that a key refers to, by name and with links to their pages. */
function referencesOf({ local_key_id: local, local_key_name: name, labels }: CommonMembers): readonly AttributeRow[] {
  const job = labels?.job_config_id
  return [
    ...(local === undefined
      ? []
      : [['Local key', <Reference key="local" member="local_key_id" id={local} name={name} />] as const]),
    ...(typeof job === 'string'
      ? [['Job configuration', <Reference key="job" member="job_config_id" id={job} />] as const]
      : []),
  ]
}

function KeyAttributes({ cloud, of, summary }: OfKey & { readonly summary: KeySummary }) {
  const rows: readonly AttributeRow[] = [
    ...cloud.keys.attributes(of),
    ...referencesOf(of as CommonMembers), // absent in the keys of other places
    ['Created', summary.createdAt],
    ['Expires', summary.expiresAt],
    ['Id', summary.id],
  ]
  return <Attributes rows={[...new Map(rows)]} />
}

/** The facts of the key and its known uses, as a graph and as a list with links to the lists of keys with its material. */
function WhereUsed({ cloud, of, summary }: OfKey & { readonly summary: KeySummary }) {
  const ending = cloud.keys.actions.find(({ ends }) => ends?.uses !== undefined)?.ends
  const read = useUses(ending, of, `${cloud.name} ${summary.id} ${summary.uri}`)
  const uses = ending === undefined ? (cloud.keys.uses?.(of) ?? []) : read.data
  const members = of as CommonMembers // absent in the keys of other places
  const from = originNodes(members, cloud.title)
  const hrefOf = ({ kind }: Use): string | undefined => {
    const place = CLOUDS.find(({ name }) => kind.startsWith(`${name} key`))
    const isListed = place?.keys.filters.some(({ name }) => name === MATERIAL_OF) === true
    return isListed ? `${HOME}keys/${place.name}?${MATERIAL_OF}=${encodeURIComponent(summary.id)}` : undefined
  }
  const here = { title: summary.name, detail: `${cloud.title}, ${summary.place}` }
  return (
    <>
      <Facts {...{ members, summary, uses }} isFailed={read.error !== null} />
      <section class="card">
        <h2>Where it is used</h2>
        {uses !== undefined && uses.length + from.length > 0 && <Graph {...{ from, here, uses }} />}
        <Uses uses={uses} error={read.error} areKnown hrefOf={hrefOf} />
      </section>
    </>
  )
}

/** Versions, and below them the history of all of them. */
function Versions({ cloud, of, summary }: OfKey & { readonly summary: KeySummary }) {
  const { data, error } = useQuery({
    queryKey: ['versions', cloud.name, summary.id],
    queryFn: ({ signal }) => cloud.keys.versions(of, signal),
  })
  return (
    <div>
      <section>
        <h2>Versions</h2>
        {error !== null && <Failed error={error} />}
        {data === undefined && error === null && <Loading what="Loading the versions" />}
        {data !== undefined && (
          <TimeLine
            label="Versions"
            moments={data.map((version) => ({
              ...{ id: version.id, time: version.createdAt, tone: version.tone, detail: version.state },
              title: <VersionName {...{ cloud, version }} isHere={version.keyId === summary.id} />,
              actions: <VersionActions {...{ cloud, version }} />,
            }))}
          />
        )}
      </section>
      <History uris={[...new Set([summary.uri, ...(data ?? []).flatMap(({ uri }) => uri ?? [])])]} />
    </div>
  )
}

interface OfVersion {
  readonly cloud: PlaceRow
  readonly version: VersionView
}

function VersionActions({ cloud, version: { title, of } }: OfVersion) {
  if (of === undefined || cloud.keys.versionActions === undefined) return null
  return (
    <div class="buttons" role="group" aria-label={title}>
      <Actions actions={cloud.keys.versionActions} of={of} />
    </div>
  )
}

interface VersionNameProps extends OfVersion {
  readonly isHere: boolean
}

function VersionName({ cloud, version: { title, keyId }, isHere }: VersionNameProps) {
  if (keyId === undefined) return <>{title}</>
  if (isHere) return <b>{title}</b>
  return <a href={`${HOME}keys/${cloud.name}/${encodeURIComponent(keyId)}`}>{title}</a>
}
