import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepSchedule, removeOrphans } from '../../../../shared/work/schedule/keep-schedule.ts'
import { ROOT_DOMAIN_ID } from '../../../../shared/base/ids.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { jobConfigStates } from '../../../../shared/work/schedule/configs/store.ts'
import { GROUP, NOON, simple, startStage, type Stage } from '../../../infra/local/stand-ins/scheduler-support.ts'
import { useTable } from '../../../support/store.ts'
import { pointProcessAt } from '../../../support/own-process.ts'

useTable()
let stage: Stage
beforeAll(async () => {
  stage = await startStage()
  pointProcessAt({
    AWS_ENDPOINT_URL_SCHEDULER: stage.scheduler.endpoint,
    KEYMGR_SCHEDULE_GROUP: GROUP,
  })
})
afterAll(() => stage.scheduler.stop())

const idOf = (at: number): string => `01900000-0000-7000-8000-${String(at).padStart(12, '0')}`
const schedule = async (id: string): Promise<void> => {
  const { Target } = simple('any')
  const Input = JSON.stringify({ domain: ROOT_DOMAIN_ID, job_config: id })
  await stage.create(`job-${id}-1`, { Target: { ...Target, Arn: Target?.Arn, RoleArn: Target?.RoleArn, Input } })
}
const names = (): string[] => stage.scheduler.schedules().map(({ name }) => name)

test('schedules that were written while their configuration went are taken back', async () => {
  await schedule(idOf(1))
  await keepSchedule(ROOT_DOMAIN_ID, idOf(1), NOON)
  expect(names()).toEqual([])
})

/** Sweeps with time for one page. */
const sweepAPage = () => removeOrphans({ now: NOON, hasTime: () => false })

test('a sweep continues where the previous one ended, and restarts at the end', async () => {
  for (let at = 0; at < 210; at++) {
    const changes = new Changes()
    changes.create(jobConfigStates, ROOT_DOMAIN_ID, { id: idOf(at), dueAt: NOON.toISOString() })
    await changes.commit(NOON)
    await schedule(idOf(at))
  }
  await schedule(idOf(900))
  expect(await sweepAPage()).toEqual({ removed: 0 })
  expect(await sweepAPage()).toEqual({ removed: 0 })
  expect(await sweepAPage()).toEqual({ removed: 1 })
  expect(names()).toHaveLength(210)
  await schedule('00000000-0000-7000-8000-000000000000')
  expect(await sweepAPage()).toEqual({ removed: 1 })
  expect(names()).toHaveLength(210)
})
