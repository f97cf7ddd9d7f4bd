import { expect, test } from 'vitest'
import { useService } from '../../support/service.ts'

const service = useService()

test('a request to a silent cloud ends before its own deadline', async () => {
  const { deployment } = service()
  const token = await service().logIn()
  const [account] = deployment.cloudA.accounts
  deployment.cloudA.inject({ fault: 'hang', operation: 'AssumeRole' })
  const { status, body } = await service().call('POST', '/v1/connectionmgmt/services/cloud-a/connection-test', {
    token,
    body: {
      access_key_id: account?.credentials.accessKeyId,
      secret_access_key: account?.credentials.secretAccessKey,
      assume_role_arn: 'arn:aws:iam::444455556666:role/keymgr-visitor',
    },
  })
  expect([status, body.connection_ok, body.connection_failed_step]).toEqual([200, false, 'address'])
  expect(body.connection_error).toMatch(/time/i)
})
