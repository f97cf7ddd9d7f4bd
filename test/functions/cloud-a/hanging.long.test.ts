import { expect, test } from 'vitest'
import { keysOf, useCloudA } from './cloud-a.ts'

const tests = useCloudA()

test('a cloud that hangs is cut off within the budget: 504, and the sweeper finds out what became of it', async () => {
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
