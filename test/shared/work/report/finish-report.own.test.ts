import { afterAll, beforeAll, expect, test } from 'vitest'
import { FLOWS } from '../../../../infra/flows.ts'
import { startStepFunctions, type StepFunctions } from '../../../../infra/local/stand-ins/step-functions.ts'
import { REPORT } from '../../../../shared/work/report/report.ts'
import { commonFields, ROOT_DOMAIN_ID, uuid } from '../../../../shared/base/ids.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { reports } from '../../../../shared/work/report/store.ts'
import { useTable } from '../../../support/store.ts'
import { NOW } from '../../../support/things.ts'
import { pointProcessAt } from '../../../support/own-process.ts'

useTable()
let flows: StepFunctions
beforeAll(async () => {
  flows = await startStepFunctions({
    flows: FLOWS,
    invoke: () => Promise.resolve({ parts: [] }),
    now: () => NOW,
    pauseMs: () => 0,
  })
  pointProcessAt({
    AWS_ENDPOINT_URL_SFN: flows.endpoint,
    KEYMGR_FLOW_BUILD_REPORT: flows.arnOf('build-report'),
  })
})
afterAll(() => flows.stop())

test('a recorded execution without a start is started when the previous one ends again', async () => {
  const id = uuid(NOW)
  const at = NOW.toISOString()
  const changes = new Changes()
  changes.create(reports, ROOT_DOMAIN_ID, {
    ...commonFields(ROOT_DOMAIN_ID, id, 'uri', NOW),
    name: 'left',
    report_type: 'key-aging',
    cloud_name: 'cloud-a',
    overall_status: 'in_progress',
    start_time: at,
    end_time: at,
    containers: [{ id: 'c', name: 'main/eu', listed: 'main', place: 'eu' }],
    abort: false,
    generation: 1,
    resumes: 0,
    dueAt: at,
  })
  await changes.commit(NOW)
  await REPORT.finish(ROOT_DOMAIN_ID, id, 0, NOW)
  await REPORT.finish(ROOT_DOMAIN_ID, id, 0, NOW)
  await flows.idle()
  expect(flows.executions().map(({ name }) => name)).toEqual([`${id}-1`])
})
