import { useQuery } from '@tanstack/preact-query'
import type { PlaceRow, VersionView } from '../../clouds/row.ts'
import { TimeLine } from '../../figures/time-line.tsx'
import { Actions } from '../../forms/actions.tsx'
import { HOME } from '../../home.ts'
import { Failed, Loading } from '../../words/states.tsx'
import type { ShownKey } from './shown-key.ts'

export const useVersions = ({ cloud, of, summary }: ShownKey) =>
  useQuery({
    queryKey: ['versions', cloud.name, summary.id],
    queryFn: ({ signal }) => cloud.keys.versions(of, signal),
  })

/** URIs of a key and its versions, under which their history is recorded. */
export const urisOf = ({ summary }: ShownKey, versions: readonly VersionView[] = []): readonly string[] => [
  ...new Set([summary.uri, ...versions.flatMap(({ uri }) => uri ?? [])]),
]

interface VersionsProps extends ShownKey {
  /** number of the newest that are shown; default: all */
  readonly most?: number
}

/** The versions of a key, newest first, with their actions. */
export function Versions({ most, ...key }: VersionsProps) {
  const { cloud, summary, at } = key
  const { data, error } = useVersions(key)
  return (
    <section>
      <h2>Versions</h2>
      {error !== null && <Failed error={error} />}
      {data === undefined && error === null && <Loading what="Loading the versions" />}
      {data !== undefined && (
        <TimeLine
          label="Versions"
          moments={data.slice(0, most).map((version) => ({
            ...{ id: version.id, time: version.createdAt, tone: version.tone, detail: version.state },
            title: <VersionName {...{ cloud, version }} isHere={version.keyId === summary.id} />,
            actions: <VersionActions {...{ cloud, version }} />,
          }))}
        />
      )}
      {data !== undefined && most !== undefined && data.length > most && (
        <a href={`${at}/versions`}>All {data.length} versions</a>
      )}
    </section>
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
