import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { SimulatedKeyView } from '../../../infra/simulators/cloud-a/simulator.ts'
import { keysOf, REGION, useCloudA } from './cloud-a.ts'

/**
 * A cloud that fails, cuts connections, or does not answer. The tests are slow, because they check timeouts and
 * retries.
 */
const tests = useCloudA()

beforeAll(async () => {
  await tests().admin.create({ name: 'midway', algorithm: 'aes', size: 256 })
})
beforeEach(() => tests().cloud.reset())

const keys = (): SimulatedKeyView[] => [...tests().cloud.keysIn(tests().account.id, REGION)]
const upload = (alias: string, headers: Record<string, string>) =>
  keysOf(tests().admin).tryUpload({ source_key_identifier: 'midway', cloud_a_param: { Alias: alias } }, headers)

test.each(['cut-before', 'cut-after', 'bad-json', 'server-error'] as const)(
  'behind %s at every call in turn, an upload asked for until it is answered is made once',
  async (fault) => {
    const { cloud } = tests()
    const operations = ['CreateKey', 'GetParametersForImport', 'ImportKeyMaterial', 'CreateAlias', 'DescribeKey']
    for (const operation of operations) {
      const alias = `${fault}-${operation}`
      const before = keys()
      cloud.inject({ fault, operation, times: 12 })
      const headers = { 'idempotency-key': alias }
      let answered = await upload(alias, headers)
      for (let attempt = 0; attempt < 6 && answered.status !== 201; attempt++) {
        expect([429, 502, 503, 504], `${alias}: ${JSON.stringify(answered.body)}`).toContain(answered.status)
        answered = await upload(alias, headers)
      }
      cloud.reset()
      if (answered.status !== 201) answered = await upload(alias, headers)
      expect(answered.status, `${alias}: ${JSON.stringify(answered.body)}`).toBe(201)
      expect(
        keys().filter(({ id }) => before.every((key) => key.id !== id)),
        alias,
      ).toHaveLength(1)
      expect(keys().find(({ aliases }) => aliases.includes(`alias/${alias}`))?.id).toBe(
        answered.body.cloud_a_param.KeyID,
      )
    }
  },
  120_000,
)

test('a call to a hanging cloud ends within the budget with 504, and the sweeper finds its outcome', async () => {
  const { cloud, admin, service } = tests()
  const key = await keysOf(admin).create({})
  const release = cloud.inject({ fault: 'hang', operation: 'DisableKey' })
  const cut = await keysOf(admin).tryAct(key.id, 'disable')
  expect(cut, JSON.stringify(cut.body)).toMatchObject({ status: 504, body: { code: 16 } })
  release()
  service.deployment.clock.advance(5 * 60_000)
  await service.deployment.fire('sweep-due')
  expect(await keysOf(admin).get(key.id)).toMatchObject({ cloud_a_param: { KeyState: 'Disabled' } })
}, 60_000)
