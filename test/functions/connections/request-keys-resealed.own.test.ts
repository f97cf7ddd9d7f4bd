import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { connectionRequests } from '../../../shared/cloud/connections/requests/store.ts'
import { spkiHashOf } from '../../../shared/crypto/public-half.ts'
import { readRequest } from '../../../shared/crypto/x509/request.ts'
import { sealedUnder } from '../../../shared/keyring/sealing.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { useService, type Answered } from '../../support/service.ts'

const service = useService()
const ACCOUNT = '111122223333'
const CLOUD_A = '/v1/connectionmgmt/services/cloud-a/connections'
let token = ''
beforeAll(async () => {
  pointProcessAt(service().deployment.environmentOf('triggers'))
  token = await service().logIn()
})
const ask = (method: string, path: string, body?: object): Promise<Answered> =>
  service().call(method, path, { token, body })

test('after a rotation of the domain key the key of a certificate request is sealed under the new one, and works', async () => {
  const { cloudA, clock } = service().deployment
  const { body: asked } = await ask('POST', '/v1/connectionmgmt/connections/csr', { cn: 'keymgr' })
  const { publicKey } = await readRequest(asked.csr as string)
  const id = spkiHashOf(publicKey).toString('hex')
  const sealingKey = async () => sealedUnder((await connectionRequests.get(ROOT_DOMAIN_ID, id))?.item.sealed ?? '')
  const former = await sealingKey()
  const { status, body: key } = await ask('POST', `/v1/domains/${ROOT_DOMAIN_ID}/rotate-kek`)
  expect(status).toBe(202)
  expect(key.id).not.toBe(former)
  clock.advance(121_000)
  expect(await service().deployment.fire('reseal-keys')).toEqual({ resealed: 1 })
  expect(await sealingKey()).toBe(key.id)

  const { private_key: _, ...identity } = cloudA.anywhereIdentityOf(ACCOUNT)
  const certificate = cloudA.certify(ACCOUNT, publicKey, { commonName: 'keymgr' })
  const connection = { name: 'resealed', is_role_anywhere: true, role_anywhere: { ...identity, certificate } }
  const made = await ask('POST', CLOUD_A, connection)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  expect((await ask('POST', `${CLOUD_A}/resealed/test`, {})).body).toEqual({ connection_ok: true })
})
