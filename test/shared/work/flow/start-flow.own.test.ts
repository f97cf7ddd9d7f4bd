import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCAL_ACCOUNT } from '../../../../infra/local/stand-ins/account.ts'
import { FLOWS } from '../../../../infra/flows.ts'
import { startStepFunctions, type StepFunctions } from '../../../../infra/local/stand-ins/step-functions.ts'
import { startFlow } from '../../../../shared/work/flow/start-flow.ts'
import { pointProcessAt } from '../../../support/own-process.ts'

const payloads: unknown[] = []
let service: StepFunctions

beforeAll(async () => {
  service = await startStepFunctions({
    flows: FLOWS,
    invoke: (_name, payload) => {
      payloads.push(payload)
      return Promise.resolve({ parts: [] })
    },
    now: () => new Date(),
  })
  pointProcessAt({
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: LOCAL_ACCOUNT.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL_ACCOUNT.credentials.secretAccessKey,
    AWS_ENDPOINT_URL_SFN: service.endpoint,
    KEYMGR_TABLE: 'keymgr-test',
    KEYMGR_ROOT_KEY: 'alias/keymgr-root',
    KEYMGR_BASE_URL: 'http://127.0.0.1:8080',
    KEYMGR_FLOW_SYNCHRONIZE: service.arnOf('synchronize'),
  })
})
afterAll(() => service.stop())

const input = { domain: 'd', job: 'j', generation: 0 }

test('a flow is started under its name with its input, and only once, also after its end', async () => {
  await Promise.all([startFlow('synchronize', 'j-0', input), startFlow('synchronize', 'j-0', input)])
  await service.idle()
  await startFlow('synchronize', 'j-0', input)
  await service.idle()
  expect(service.executions()).toMatchObject([
    { flow: 'synchronize', name: 'j-0', status: 'SUCCEEDED', input: '{"domain":"d","job":"j","generation":0}' },
  ])
  expect(payloads).toMatchObject([
    { step: 'plan', ...input },
    { step: 'finish', ...input },
  ])
})

test('a name that cannot be one is a fault of ours, no refusal', async () => {
  await expect(startFlow('synchronize', 'not a name', input)).rejects.toMatchObject({ name: 'InvalidName' })
})

test('a possibly lost start is refused as UNAVAILABLE, for a retry', async () => {
  const unavailable = expect.objectContaining({ name: 'Refusal', reason: 'UNAVAILABLE' }) as Error
  await service.stop()
  await expect(startFlow('synchronize', 'j-1', input)).rejects.toEqual(unavailable)
})
