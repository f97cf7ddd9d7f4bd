import { expect, test } from 'vitest'
import { logRecords } from '../../support/log-records.ts'
import { ADMIN_PASSWORD, useService } from '../../support/service.ts'

const service = useService()
const recover = (more: object = {}) =>
  service().deployment.invoke('triggers', { trigger: 'recover-administrator', ...more }) as Promise<{
    administrator: string
    generated_password: string
  }>

test('an operator gives the administrator who is locked out a new password, which is on record and in no log', async () => {
  const call = service().call.bind(service())
  const before = await service().call('POST', '/v1/auth/tokens', { body: { name: 'admin', password: ADMIN_PASSWORD } })
  for (let failure = 0; failure < 6; failure++)
    await call('POST', '/v1/auth/tokens', { body: { name: 'admin', password: 'forgotten' } })
  expect((await call('POST', '/v1/auth/tokens', { body: { name: 'admin', password: ADMIN_PASSWORD } })).status).toBe(
    401,
  )

  const { administrator, generated_password: password } = await recover()
  expect(administrator).toBe('admin')
  const refresh = { grant_type: 'refresh_token', refresh_token: before.body.refresh_token as string }
  expect((await call('POST', '/v1/auth/tokens', { body: refresh })).status).toBe(401)
  expect((await call('POST', '/v1/auth/tokens', { body: { name: 'admin', password } })).status).toBe(403)
  const changed = await call('PATCH', '/v1/auth/changepw', {
    body: { username: 'admin', password, new_password: 'Another-Horse-8' },
  })
  expect(changed.status, JSON.stringify(changed.body)).toBe(204)
  const token = await service().logIn('admin', 'Another-Horse-8')

  const { body } = await call('GET', '/v1/audit/records?message=Recover*', { token })
  expect(body.resources).toHaveLength(1)
  expect(body.resources[0]).toMatchObject({
    severity: 'critical',
    success: true,
    details: { action: 'recover-administrator', resource_name: 'admin' },
    principal: { sub: 'operator' },
  })
  const written = JSON.stringify([service().deployment.logs(), body])
  expect(written).not.toContain(password)
  await logRecords(service().deployment, 'triggers', { atLeast: 1 }, { trigger: 'recover-administrator' })
})

test('only administrators of the root domain are recovered', async () => {
  const token = await service().logIn('admin', 'Another-Horse-8')
  await service().userIn(token, 'ada', ['User Admins'])
  await expect(recover({ username: 'ada' })).rejects.toThrow('ada is no member of the group admin')
  await expect(recover({ username: 'nobody' })).rejects.toThrow('The root domain has no user nobody')
  await service().logIn('ada', 'Pass-word-3x')
})

test('a disabled administrator is enabled again', async () => {
  const token = await service().logIn('admin', 'Another-Horse-8')
  const { userId } = await service().userIn(token, 'bea', ['admin'])
  const disabled = await service().call('PATCH', `/v1/usermgmt/users/${userId}`, { token, body: { enabled: false } })
  expect(disabled.status).toBe(200)
  await recover({ username: 'bea' })
  const { body } = await service().call('GET', `/v1/usermgmt/users/${userId}`, { token })
  expect(body).toMatchObject({ enabled: true, password_change_required: true })
})
