import { expect, test } from 'vitest'
import { FUNCTIONS } from '../../../infra/functions.ts'
import { sendGuarded } from '../../../shared/base/network/guarded-fetch.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { useService } from '../../support/service.ts'

const service = useService({ tlsPort: 'any' })

test('calls of a function to its own front door trust the certificate that the deployment made', async () => {
  const { tlsBaseUrl = '', environmentOf } = service().deployment
  const url = new URL('/.well-known/jwks.json', tlsBaseUrl.replace('127.0.0.1', 'localhost'))
  const ask = () => sendGuarded(url, { method: 'GET' }, { allowsLoopback: true })
  await expect(ask()).rejects.toThrow('self-signed certificate')
  pointProcessAt({ KEYMGR_LOOPBACK_CA: environmentOf('auth').KEYMGR_LOOPBACK_CA })
  expect((await ask()).status).toBe(200)
  for (const { name } of FUNCTIONS) expect(environmentOf(name).KEYMGR_LOOPBACK_CA, name).toMatch(/^-----BEGIN CERT/)
})
