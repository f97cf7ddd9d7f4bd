import { textIn } from '../answers.ts'
import { useQuery } from '@tanstack/preact-query'
import { useLocation, useRoute } from 'preact-iso'
import { Actions } from '../forms/actions.tsx'
import { CONFIG_ACTIONS } from '../jobs/actions.ts'
import { operationTitle, type JobConfig } from '../jobs/fields.ts'
import { paramsInWords } from '../jobs/params.ts'
import { HOME } from '../home.ts'
import { keymgr } from '../service.ts'
import { Page } from '../shell/page.tsx'
import { Attributes, type AttributeRow } from '../words/attributes.tsx'
import { cronInWords } from '../words/cron.ts'
import { Failed, Loading, Pill } from '../words/states.tsx'
import { NextRuns } from './jobs/next-runs.tsx'
import { PastRuns } from './jobs/past-runs.tsx'

/** One job configuration: its operation, its next runs, and its past runs. */
export default function JobConfigPage() {
  const { id = '' } = useRoute().params
  const { data, error, refetch } = useQuery({
    queryKey: ['job-config', id],
    queryFn: ({ signal }) => keymgr.get('/v1/scheduler/job-configs/{id}', { path: { id }, signal }),
  })
  const above = <a href={`${HOME}jobs`}>Jobs</a>
  if (data === undefined)
    return (
      <Page title="Configuration" above={above}>
        {error === null ? <Loading /> : <Failed error={error} retry={() => void refetch()} />}
      </Page>
    )
  return (
    <Page title={data.name} above={above} actions={<ConfigActions config={data} />}>
      <p class="facts">
        <Pill tone={data.disabled ? 'quiet' : 'good'}>{data.disabled ? 'Disabled' : 'Enabled'}</Pill>{' '}
        {operationTitle(data.operation)} · <span title={data.run_at}>{cronInWords(data.run_at)}</span>
      </p>
      <div class="columns even">
        <div>
          <NextRuns
            of={[id, data.updatedAt]}
            load={(signal) => keymgr.get('/v1/scheduler/job-configs/{id}/preview', { path: { id }, signal })}
          />
          <Attributes rows={rowsOf(data)} />
        </div>
        <PastRuns config={id} />
      </div>
    </Page>
  )
}

const rowsOf = (config: JobConfig): readonly AttributeRow[] => [
  ['Description', config.description],
  ['Warnings', config.warnings?.join(' ')],
  ...paramsInWords(config),
  ['Not before', config.start_date],
  ['Not after', config.end_date],
  ['Created', config.createdAt],
  ['Id', config.id],
]

function ConfigActions({ config }: { readonly config: JobConfig }) {
  const { route } = useLocation()
  return (
    <>
      <Actions
        actions={CONFIG_ACTIONS}
        main="run"
        of={config}
        done={({ name }, answer) => {
          const job_id = textIn(answer, 'job_id') // present when a run was started
          if (name === 'delete') route(`${HOME}jobs`)
          else if (name === 'run' && job_id !== undefined) route(`${HOME}jobs/runs/${job_id}`)
        }}
      />
      <a class="button" href={`${HOME}jobs/${config.id}/edit`}>
        Edit
      </a>
    </>
  )
}
