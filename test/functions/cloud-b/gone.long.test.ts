import { expect, test } from 'vitest'
import { CLOUD_B, refused } from './cloud-b.ts'
import { IN, keysOf, useKeys } from './keys.ts'
import { atCloud, synchronized } from './other-people.ts'

const DAY = 24 * 3_600_000
const JOBS = { key: 'synchronization-jobs', secret: 'secrets/synchronization-jobs' }
const tests = useKeys({ flowPauseMs: () => 1 })
const synchronize = (of: keyof typeof JOBS): Promise<any> =>
  synchronized(tests(), `${CLOUD_B}/${JOBS[of]}`, { key_vaults: [IN.plain] })
const ask = (path: string) => tests().admin.call('GET', `${CLOUD_B}/${path}`)

test('records of deleted versions are removed after 90 days, except for a key with a stored backup', async () => {
  const { admin, cloud, advance, sweep } = tests()
  const keys = keysOf(admin)
  const live = await keys.create('stays', {}, 'plain')
  const forgotten = await keys.create('forgotten', {}, 'plain')
  const backed = await keys.create('backed', {}, 'plain')
  await keys.act(backed.id, 'backups', {})
  await atCloud(cloud, IN.plain, 'PUT', '/secrets/forgotten', { value: 'x' })
  expect(await synchronize('secret')).toMatchObject({ added: 1 })
  const [secret] = (await admin.ok('GET', `${CLOUD_B}/secrets?secret_name=forgotten`)).resources
  for (const name of ['forgotten', 'backed']) cloud.forgetKey(IN.plain, name)
  await atCloud(cloud, IN.plain, 'DELETE', '/secrets/forgotten')
  expect(await synchronize('key')).toMatchObject({ gone: 2 })
  expect(await synchronize('secret')).toMatchObject({ gone: 1 })

  advance(89 * DAY)
  await sweep()
  expect(await keys.get(forgotten.id)).toMatchObject({ gone: true })
  expect((await ask(`secrets/${secret.id}`)).status).toBe(200)

  advance(2 * DAY)
  await sweep()
  await refused(ask(`keys/${forgotten.id}`), 404, 5, [])
  await refused(ask(`secrets/${secret.id}`), 404, 5, [])
  expect(await keys.get(live.id)).toMatchObject({ gone: false })
  expect(await keys.get(backed.id)).toMatchObject({ gone: true, backup: expect.any(String) })
  const restored = await keys.act(backed.id, 'restore', { key_vault: IN.plain })
  expect(restored).toMatchObject({ key_name: 'backed', gone: false, status: 'ACTIVE' })

  cloud.forgetKey(IN.plain, 'stays')
  await synchronize('key')
  await atCloud(cloud, IN.plain, 'POST', '/keys/stays/create', { kty: 'EC', crv: 'P-256' })
  await synchronize('key')
  advance(91 * DAY)
  await sweep()
  expect(await keys.versions('stays')).toMatchObject([{ gone: false }]) // the previous key has been removed
})
