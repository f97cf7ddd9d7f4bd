import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { registrationTokens } from '../../../shared/certificates/clients/registration-tokens/store.ts'
import { sealedUnder } from '../../../shared/keyring/sealing.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { useVault } from '../vault/vault.ts'
import { clientsOf, TOKENS } from './clients.ts'

const vault = useVault()
beforeAll(() => pointProcessAt(vault().service.deployment.environmentOf('triggers')))

test('after a rotation of the domain key registration tokens are sealed under the new one', async () => {
  const { admin, service } = vault()
  const { id, token } = await clientsOf(vault()).token()
  const { status, body: key } = await admin.call('POST', `/v1/domains/${ROOT_DOMAIN_ID}/rotate-kek`)
  expect(status).toBe(202)
  vault().advance(121_000)
  expect(await service.deployment.fire('reseal-keys')).toEqual({ resealed: 1 })
  const stored = await registrationTokens.get(ROOT_DOMAIN_ID, id as string)
  expect(sealedUnder(stored?.item.sealed ?? '')).toBe(key.id)
  expect(JSON.stringify(stored)).not.toContain(token)
  expect((await admin.ok('GET', `${TOKENS}/${id as string}`)).token).toBe(token)
})
