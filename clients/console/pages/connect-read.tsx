import { useQuery } from '@tanstack/preact-query'
import { useRoute } from 'preact-iso'
import { synchronizationsOf, type Synchronization } from '../clouds/containers.ts'
import type { CloudRow } from '../clouds/row.ts'
import { cloudOf } from '../connections.ts'
import { HOME } from '../home.ts'
import { useLive } from '../live.ts'
import { Page } from '../shell/page.tsx'
import { counted } from '../words/numbers.ts'
import { Progress } from '../words/progress.tsx'
import { Failed, Loading, NotFound, Pill } from '../words/states.tsx'
import { isUnderWay, workState } from '../words/work-states.ts'
import { Places, readPlaces } from './containers/places.tsx'
import { ShownConnection, type OfConnection } from './connections/shown.tsx'
import { Steps } from './connections/steps.tsx'

/** The last step: the keys of the added containers are read. */
export default function ConnectRead() {
  return <ShownConnection by={Shown} />
}

function Shown({ of, connection }: OfConnection) {
  const cloud = cloudOf(of)
  if (cloud === undefined) return <NotFound />
  return (
    <Page title="Read keys" above={<a href={`${HOME}connections/${connection.id}`}>{connection.name}</a>}>
      <Steps here={4} />
      <Watched of={cloud} />
    </Page>
  )
}

function Watched({ of }: { readonly of: CloudRow }) {
  const { job: id = '' } = useRoute().params
  const { data, error, refetch } = useLive({
    key: ['synchronization', of.name, id],
    load: (signal) => synchronizationsOf(of).get(id, signal),
    isOver: ({ overall_status }) => !isUnderWay(overall_status),
    isNew: true,
  })
  if (data === undefined) return error === null ? <Loading /> : <Failed error={error} retry={() => void refetch()} />
  const isOver = !isUnderWay(data.overall_status)
  const places = Object.keys(data.detailed_status).length
  const { title, tone } = workState(data.overall_status)
  return (
    <>
      {error !== null && <Failed error={error} />}
      <Progress
        label="Places that are read"
        value={isOver ? 1 : readPlaces(data)}
        most={isOver ? 1 : Math.max(1, places)}
        words={
          <>
            <Pill tone={tone}>{title}</Pill> {!isOver && 'You may leave this page: the read continues.'}
          </>
        }
      />
      {isOver && <Over of={of} job={data} />}
      <div class="columns even">
        <Places statuses={data.detailed_status} />
      </div>
    </>
  )
}

/** The number of keys, and the next steps of the user. */
function Over({ of, job }: { readonly of: CloudRow; readonly job: Synchronization }) {
  const { data } = useQuery({
    queryKey: ['read-keys', of.name, job.id],
    queryFn: ({ signal }) => of.keys.list({ ...of.keys.once, limit: 1 }, signal),
  })
  return (
    <>
      <p class="lead">
        {data === undefined ? ' ' : `${counted(data.total, 'key')} of ${of.title.toLowerCase()} can be seen here now.`}
      </p>
      <p class="buttons-row">
        <a class="button main" href={`${HOME}keys/${of.name}`}>
          See the keys
        </a>{' '}
        <a class="button" href={`${HOME}jobs/add`}>
          Plan a nightly read
        </a>{' '}
        <a class="button" href={`${HOME}connections/new`}>
          Connect another cloud
        </a>
      </p>
    </>
  )
}
