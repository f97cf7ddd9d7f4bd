import * as fs from 'node:fs'
import * as path from 'node:path'
import { CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCAL_ACCOUNT } from '../../../infra/local/stand-ins/account.ts'
import { startDeployment, type Deployment, type DeploymentOptions } from '../../../infra/local/deployment.ts'
import { buildFixtures, ROWS, temporaryFolder } from './deployment-support.ts'

let bundles: string
const folder = temporaryFolder()
const start = (options: Partial<DeploymentOptions>) => startDeployment({ bundles, functions: ROWS, ...options })

beforeAll(async () => {
  bundles = await buildFixtures()
})
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** Creates a job configuration's schedule: every five minutes, for the flow `run-job`. */
const keepSchedule = async (deployment: Deployment, Name: string) => {
  const { region, credentials } = LOCAL_ACCOUNT
  const told = deployment.environmentOf('keeper')
  const client = new SchedulerClient({ endpoint: told.AWS_ENDPOINT_URL_SCHEDULER ?? '', region, credentials })
  await client.send(
    new CreateScheduleCommand({
      Name,
      GroupName: told.KEYMGR_SCHEDULE_GROUP,
      ScheduleExpression: 'cron(0/5 * * * ? *)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: {
        Arn: told.KEYMGR_FLOW_RUN_JOB,
        RoleArn: told.KEYMGR_SCHEDULE_ROLE,
        Input: '{"domain":"d","job_config":"c","occasion":"<aws.scheduler.scheduled-time>","generation":0}',
      },
    }),
  )
}
const inputsOf = ({ flows }: Deployment) => flows.executions().map(({ flow, input }) => [flow, JSON.parse(input)])

test('a schedule of a function starts its flow at its time', async () => {
  const deployment = await start({})
  deployment.clock.set(new Date('2040-01-01T00:03:00Z'))
  await keepSchedule(deployment, 'a')
  expect(deployment.scheduler.schedules()).toMatchObject([{ group: 'keymgr-jobs', name: 'a' }])
  expect(await deployment.scheduler.fireDue()).toEqual([])
  deployment.clock.set(new Date('2040-01-01T00:05:00Z'))
  expect(await deployment.scheduler.fireDue()).toMatchObject([{ delivered: true }])
  const occasion = '2040-01-01T00:05:00Z'
  expect(inputsOf(deployment)).toEqual([['run-job', { domain: 'd', job_config: 'c', occasion, generation: 0 }]])
  expect(deployment.environmentOf('triggers')).not.toHaveProperty('KEYMGR_SCHEDULE_GROUP')
  await deployment.stop()
})

test('schedules are kept; the next start catches up with the last firing that was missed, by itself', async () => {
  const dataDir = path.join(folder, 'data')
  const first = await start({ dataDir })
  first.clock.set(new Date(Date.now() - 3_600_000))
  await keepSchedule(first, 'a')
  await first.stop()
  const second = await start({ dataDir, schedules: true })
  await expect.poll(() => inputsOf(second), { timeout: 20_000 }).toHaveLength(1)
  const [[, input] = []] = inputsOf(second) as [string, { occasion: string }][]
  expect(Date.now() - Date.parse(input?.occasion ?? '')).toBeLessThan(10 * 60_000)
  await second.stop()
})
