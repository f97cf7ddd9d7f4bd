import { memberOf } from '../answers.ts'
import { AddPage } from '../forms/add-page.tsx'
import { NEW_CONFIG } from '../jobs/fields.ts'
import { HOME } from '../home.ts'
import { callTo } from '../calls.ts'
import { DraftRuns } from './jobs/draft-runs.tsx'

/** A preview needs no name, but the service requires one. */
const NAMELESS = 'not named yet'

/** A form for a new job configuration, with its next runs while it is filled in. */
export default function AddJob() {
  return (
    <AddPage
      title="Add a configuration"
      about="Does something again and again, at times of a schedule."
      list={`${HOME}jobs`}
      listTitle="Jobs"
      fields={NEW_CONFIG}
      call={(body) => callTo('post', '/v1/scheduler/job-configs', { body })}
      preview={(body) => (
        <DraftRuns
          body={body}
          callFor={(draft) =>
            callTo('post', '/v1/scheduler/job-configs/preview', { body: { ...draft, name: draft.name ?? NAMELESS } })
          }
        />
      )}
      done="The configuration is there."
      next={(answer) => `${HOME}jobs/${memberOf(answer, 'id')}`}
    />
  )
}
