import { beforeAll, expect, test } from 'vitest'
import { useService } from '../support/service.ts'
import { EXPORTS, Platform } from './platform/platform.ts'

/** Exports stay in progress: their flows pause for longer than the tests take. */
const service = useService({ flowPauseMs: () => 600_000 })
let admin = ''
beforeAll(async () => {
  admin = await service().logIn()
})

const call = (method: string, path: string, body?: object) => service().call(method, path, { token: admin, body })
const atOnce = async (count: number, path: string, bodyOf: (at: number) => object): Promise<number[]> => {
  const answers = await Promise.all(Array.from({ length: count }, (_, at) => call('POST', path, bodyOf(at))))
  return answers.map(({ status }) => status).toSorted()
}
const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status)

const rule = (at: number) => ({
  ...{ name: `rule ${at}`, severity: 'warning' },
  condition: 'package mine\nalarm if not input.success',
})

test('of 30 concurrent alarm rules, 20 are created, and all of them are listed', async () => {
  expect(await atOnce(30, '/v1/audit/alarm-configs', rule)).toEqual([...times(20, 201), ...times(10, 409)])
  const { body } = await call('GET', '/v1/audit/alarm-configs?limit=100')
  const own = body.resources.filter(({ builtin }: { builtin: boolean }) => !builtin)
  expect(own).toHaveLength(20)
  expect((await call('DELETE', `/v1/audit/alarm-configs/${own[0].id}`)).status).toBe(200)
  expect(await atOnce(3, '/v1/audit/alarm-configs', (at) => rule(100 + at))).toEqual([201, 409, 409])
})

test('of 18 concurrent exports, five begin', async () => {
  const platform = new Platform(service())
  const token = await platform.token(await platform.credential(admin, 'exports'))
  const span = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date().toISOString() }
  const answers = await Promise.all(Array.from({ length: 18 }, () => platform.call('POST', EXPORTS, token, span)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...times(5, 201), ...times(13, 409)])
})

test('concurrent calls enable at most 50 key policies', async () => {
  const policy = (at: number) => ({ name: `policy ${at}`, enabled: true, sizes: [256] })
  for (let at = 0; at < 45; at++) expect((await call('POST', '/v1/vault/key-policies', policy(at))).status).toBe(201)
  const off = await Promise.all(
    [90, 91, 92].map((at) => call('POST', '/v1/vault/key-policies', { ...policy(at), enabled: false })),
  )
  const enabling = off.map(({ body }) => call('PATCH', `/v1/vault/key-policies/${body.id}`, { enabled: true }))
  const [made, enabled] = await Promise.all([
    atOnce(12, '/v1/vault/key-policies', (at) => policy(50 + at)),
    Promise.all(enabling).then((answers) => answers.map(({ status }) => status)),
  ])
  expect([...made, ...enabled].filter((status) => status < 300)).toHaveLength(5)
  expect([...made, ...enabled].filter((status) => status === 409)).toHaveLength(10)
  const { body } = await call('GET', '/v1/vault/key-policies?limit=100')
  expect(body.resources.filter(({ enabled: isOn }: { enabled: boolean }) => isOn)).toHaveLength(50)
})
