import { expect, test } from 'vitest'
import { useService } from '../support/service.ts'

/** Deployed functions behind a front door whose clock the tests move. */
const service = useService({ environment: { KEYMGR_MOVABLE_CLOCK: '' } })

test('a request with a wrong time is refused by management functions and data planes', async () => {
  const { clock } = service().deployment
  const token = await service().logIn()
  const refused = { status: 403, body: { code: 4 } }
  for (const apartMs of [-121_000 - 300_000, -125_000, 125_000]) {
    clock.advance(apartMs)
    expect(await service().call('GET', '/v1/vault/keys2', { token }), String(apartMs)).toMatchObject(refused)
    const logIn = { body: { name: 'admin', password: 'wrong' } }
    expect(await service().call('POST', '/v1/auth/tokens', logIn)).toMatchObject(refused)
    expect(await service().call('GET', '/v1/unknown')).toMatchObject(refused)
    const health = '/v1/keymgr/cloud-a/xks-proxy-endpoints/01890000-0000-7000-8000-00000000ffff/kms/xks/v1/health'
    expect(await service().call('POST', health, { body: {} })).toMatchObject({
      status: 500,
      body: { errorName: 'InternalException' },
    })
    clock.advance(-apartMs)
  }
  clock.advance(60_000)
  expect((await service().call('GET', '/v1/vault/keys2', { token })).status).toBe(200)
  clock.advance(-60_000)
})

test('an audit record has the time of the request and that of the machine', async () => {
  const { clock } = service().deployment
  const token = await service().logIn()
  clock.advance(90_000)
  const from = Date.now()
  const { status } = await service().call('POST', '/v1/vault/keys2', { token, body: { name: 'ahead' } })
  clock.advance(-90_000)
  expect(status).toBe(201)
  const { body } = await service().call('GET', '/v1/audit/records?message=Create%20Key', { token })
  const { createdAt, recordedAt } = body.resources[0]
  expect(Date.parse(recordedAt as string)).toBeGreaterThanOrEqual(from)
  expect(Date.parse(recordedAt as string)).toBeLessThanOrEqual(Date.now())
  expect(Date.parse(createdAt as string) - Date.parse(recordedAt as string)).toBeGreaterThan(60_000)
})

test('scheduled work uses the time of the machine', async () => {
  const { clock } = service().deployment
  const records = async () =>
    (await service().call('GET', '/v1/audit/records', { token: await service().logIn() })).body.total as number
  const before = await records()
  expect(before).toBeGreaterThan(0)
  await service().deployment.fire('drain-outbox')
  clock.advance(91 * 86_400_000)
  expect(await service().deployment.fire('sweep-due')).toMatchObject({ expired: 0 })
  clock.advance(-91 * 86_400_000)
  expect(await records()).toBeGreaterThan(before)
})
