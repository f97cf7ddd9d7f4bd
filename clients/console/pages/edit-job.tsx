import { useQuery } from '@tanstack/preact-query'
import { useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { AddPage } from '../forms/add-page.tsx'
import { changeable, configChanges, type JobConfig } from '../jobs/fields.ts'
import { HOME } from '../home.ts'
import { callTo } from '../calls.ts'
import { keymgr } from '../service.ts'
import { Page } from '../shell/page.tsx'
import { Failed, Loading } from '../words/states.tsx'
import { DraftRuns } from './jobs/draft-runs.tsx'

/** Changes a job configuration, and shows its future runs. */
export default function EditJob() {
  const { id = '' } = useRoute().params
  const { data, error } = useQuery({
    queryKey: ['job-config', id],
    queryFn: ({ signal }) => keymgr.get('/v1/scheduler/job-configs/{id}', { path: { id }, signal }),
  })
  if (data === undefined)
    return <Page title="Edit the configuration">{error === null ? <Loading /> : <Failed error={error} />}</Page>
  return <Form key={id} read={data} />
}

function Form({ read }: { readonly read: JobConfig }) {
  const [config] = useState(read) // the fields' initial values: a later read may include changes by others
  const { id, name } = config
  return (
    <AddPage
      title={`Edit ${name}`}
      about="The change holds from the next run on. What the configuration does stays."
      list={`${HOME}jobs/${id}`}
      listTitle={name}
      submit="Save"
      fields={changeable(config)}
      call={(body) =>
        callTo('patch', '/v1/scheduler/job-configs/{id}', { path: { id }, body: configChanges(config, body) })
      }
      preview={(body) => (
        <DraftRuns
          body={configChanges(config, body)}
          callFor={(draft) => callTo('post', '/v1/scheduler/job-configs/{id}/preview', { path: { id }, body: draft })}
        />
      )}
      done="The configuration is changed."
    />
  )
}
