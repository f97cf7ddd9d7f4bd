import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDeployment, type Deployment } from '../../../../infra/local/deployment.ts'
import { buildFixtures, ROWS } from '../deployment-support.ts'

let deployment: Deployment

beforeAll(async () => {
  process.env.KEYMGR_SECRET_OF_THE_PARENT = 'not for functions'
  deployment = await startDeployment({ bundles: await buildFixtures(), functions: ROWS })
})
afterAll(() => deployment.stop())

const trouble = async (what: string) => {
  const answer = await fetch(`${deployment.baseUrl}/api/v1/echo/deep/trouble/${what}`)
  return { status: answer.status, body: await answer.text() }
}
const failed = { status: 500, body: '{"message":"Internal Server Error"}' }
const logged = (text: string) =>
  deployment.logs().filter((line) => line.source === 'trouble' && line.text.includes(text))

test('a function has only its own environment: Lambda’s, the stand-ins’ and its deployment’s', async () => {
  const { environment, zone } = JSON.parse((await trouble('environment')).body) as {
    environment: Record<string, string>
    zone: number
  }
  const stream = { AWS_LAMBDA_LOG_STREAM_NAME: expect.stringMatching(/^local\/[\da-f-]{36}$/) as string }
  expect(environment).toEqual({ ...deployment.environmentOf('trouble'), ...stream })
  expect(environment).toMatchObject({
    AWS_LAMBDA_FUNCTION_NAME: 'trouble',
    AWS_ENDPOINT_URL_DYNAMODB: deployment.table.endpoint,
    AWS_ENDPOINT_URL_KMS: deployment.kms.endpoint,
    KEYMGR_TABLE: deployment.table.name,
    KEYMGR_ROOT_KEY: deployment.kms.keyArn(deployment.rootKeyId),
    KEYMGR_BASE_URL: deployment.baseUrl,
    TZ: 'UTC',
  })
  expect(environment).not.toHaveProperty('KEYMGR_SECRET_OF_THE_PARENT')
  expect(environment).not.toHaveProperty('HOME')
  expect(zone).toBe(0)
  expect(deployment.environmentOf('echo')).toMatchObject({ AWS_LAMBDA_FUNCTION_NAME: 'echo' })
})

test('a context contains the request id and the remaining time', async () => {
  const { body } = (await deployment.invoke('echo', { any: 'event' })) as { body: string }
  const { event, request, remaining } = JSON.parse(body) as { event: unknown; request: string; remaining: number }
  expect(event).toEqual({ any: 'event' })
  expect(request).toMatch(/^[\da-f-]{36}$/)
  expect(remaining).toBeLessThanOrEqual(10_000)
  expect(remaining).toBeGreaterThan(0)
})

test('concurrent calls interleave in one worker', async () => {
  const held = deployment.invoke('trouble', { rawPath: 'hold' })
  expect(await deployment.invoke('trouble', { rawPath: 'release' })).toEqual({ released: true })
  expect(await held).toEqual({ held: true })
})

test('a function that throws is a 500; the log has the reason, the answer has not', async () => {
  expect(await trouble('throw')).toEqual(failed)
  expect(logged('thrown on purpose')).toMatchObject([{ warns: true }])
  await expect(deployment.invoke('trouble', { rawPath: 'throw' })).rejects.toMatchObject({
    name: 'FunctionFault',
    fault: { errorType: 'Error', errorMessage: 'thrown on purpose' },
  })
})

test.each(['crash', 'exit'])('a worker that ends (%s) fails its calls with 500 and is replaced', async (how) => {
  const calls = async () => (JSON.parse((await trouble('calls')).body) as { calls: number }).calls
  const before = await calls()
  expect(await calls()).toBe(before + 1)
  expect(await trouble(how)).toEqual(failed)
  expect(await calls()).toBe(1)
})

test('a killed function fails its calls, reports to its flows, and the next call gets a new worker', async () => {
  const hanging = deployment.invoke('trouble', { rawPath: 'hang' })
  const failure = { name: 'FunctionFault', fault: { errorType: 'Runtime.ExitError' } }
  await Promise.all([expect(hanging).rejects.toMatchObject(failure), deployment.kill('trouble')])
  expect((await trouble('calls')).body).toBe('{"calls":1}')
  await deployment.kill('trouble')
  await deployment.kill('trouble') // nothing runs, so nothing ends
  expect((await trouble('calls')).body).toBe('{"calls":1}')
  await expect(deployment.kill('nobody')).rejects.toThrow('There is no function nobody.')
})

test('a call beyond its function’s timeout is a 500; others of the same worker finish, later ones get a new one', async () => {
  const hanging = trouble('hang')
  const [, slow] = await Promise.all([hanging, trouble('slow')])
  expect(await hanging).toEqual(failed)
  expect(slow).toEqual({ status: 200, body: '{"slow":true}' })
  expect(logged('timed out after 2 seconds')).toHaveLength(1)
  expect((await trouble('calls')).body).toBe('{"calls":1}')
})

test('an answer above 6 MB is a 500', async () => {
  expect(await trouble('large')).toEqual(failed)
  expect(logged('6 MB')).toHaveLength(1)
})

test('a function that does not load is a 500, at every call', async () => {
  const row = { name: 'absent', prefixes: ['/absent'], memoryMiB: 128, timeoutSeconds: 10, grants: [] }
  const other = await startDeployment({ bundles: await buildFixtures(), functions: [...ROWS, row] })
  for (let i = 0; i < 2; i++) expect((await fetch(`${other.baseUrl}/absent`)).status).toBe(500)
  expect((await fetch(`${other.baseUrl}/api/v1/echo`)).status).toBe(200)
  await other.stop()
})

test('the output of a function goes to the log, with the level of each line', async () => {
  await trouble('log')
  await expect.poll(() => logged('"message"').map(({ warns }) => warns)).toEqual([false, true])
})
