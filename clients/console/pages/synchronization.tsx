import { useRoute } from 'preact-iso'
import { cloudNamed } from '../clouds.ts'
import { synchronizationsOf, type Synchronization } from '../clouds/containers.ts'
import type { CloudRow } from '../clouds/row.ts'
import { Actions } from '../forms/actions.tsx'
import { useLive } from '../live.ts'
import { HOME } from '../home.ts'
import { Page } from '../shell/page.tsx'
import { Figures } from '../words/figures.tsx'
import { Progress } from '../words/progress.tsx'
import { Failed, Loading, NotFound, Pill } from '../words/states.tsx'
import { isUnderWay, lasting, workState } from '../words/work-states.ts'
import { Places, readPlaces } from './containers/places.tsx'
import { titleOf } from './containers/recent.tsx'

/** One synchronization: its progress while it runs, its results, and its failures. */
export default function SynchronizationPage() {
  const { cloud, id = '' } = useRoute().params
  const of = cloudNamed(cloud)
  if (of === undefined) return <NotFound />
  return <Watched key={id} of={of} id={id} />
}

function Watched({ of, id }: { readonly of: CloudRow; readonly id: string }) {
  const { data, error, refetch } = useLive({
    key: ['synchronization', of.name, id],
    load: (signal) => synchronizationsOf(of).get(id, signal),
    isOver: ({ overall_status }) => !isUnderWay(overall_status),
  })
  const above = <a href={`${HOME}containers/${of.name}`}>{of.title} containers</a>
  if (data === undefined)
    return (
      <Page title="Synchronization" above={above}>
        {error === null ? <Loading /> : <Failed error={error} retry={() => void refetch()} />}
      </Page>
    )
  return (
    <Page title={titleOf(of, data)} above={above} actions={<Cancel of={of} job={data} />}>
      {error !== null && <Failed error={error} />}
      <Outcome job={data} />
      <div class="columns even">
        <Places statuses={data.detailed_status} />
        <Errors job={data} />
      </div>
    </Page>
  )
}

function Cancel({ of, job }: { readonly of: CloudRow; readonly job: Synchronization }) {
  return (
    <Actions
      of={job}
      actions={[
        {
          ...{ name: 'cancel', title: 'Cancel', done: 'The synchronization ends soon.' },
          about: 'Ends the synchronization. Keys that were read stay as they were read.',
          applies: ({ overall_status }: Synchronization) => isUnderWay(overall_status),
          call: ({ id }: Synchronization) => synchronizationsOf(of).cancel(id),
        },
      ]}
    />
  )
}

function Outcome({ job }: { readonly job: Synchronization }) {
  const places = Object.values(job.detailed_status)
  const read = readPlaces(job)
  const { title, tone } = workState(job.overall_status)
  const isOver = !isUnderWay(job.overall_status)
  return (
    <>
      <Progress
        label="Places that are read"
        value={isOver ? Math.max(1, places.length) : read}
        most={Math.max(1, places.length)}
        words={
          <>
            <Pill tone={tone}>{title}</Pill>{' '}
            {isOver
              ? `after ${lasting(job.createdAt, job.completed_at ?? job.createdAt)}`
              : `${read} of ${places.length} places read`}
          </>
        }
      />
      <Figures
        label="Keys"
        figures={[
          { title: 'Added', value: job.added },
          { title: 'Updated', value: job.updated },
          { title: 'Gone at the cloud', value: job.gone },
          { title: 'Not readable', value: job.unread, isBad: job.unread > 0 },
        ]}
      />
    </>
  )
}

function Errors({ job: { errors, unread } }: { readonly job: Synchronization }) {
  return (
    <section>
      <h2>Keys that could not be read</h2>
      {errors.length === 0 && <p class="quiet">None.</p>}
      <ul class="plain-list">
        {errors.map((error) => (
          <li key={error}>{error}</li>
        ))}
      </ul>
      {unread > errors.length && (
        <p class="quiet">
          The first {errors.length} of {unread}. The records of the others stay as they were, too.
        </p>
      )}
    </section>
  )
}
