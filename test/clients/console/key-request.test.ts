import { createPrivateKey, createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeKeyRequest } from '../../../clients/console/forms/key-request.ts'
import { openssl } from '../../functions/ca/ca.ts'

const VERIFY = ['-verify', '-noout']
const NAMES = ['till-1', '', 'Kasse 1, Köln', 'x'.repeat(64)]

test.each(NAMES)('a request that the browser makes is signed by its key, and names the client: %j', async (name) => {
  const { key, request } = await makeKeyRequest(name)
  const verified = await openssl(['req', '-in', '{csr}', ...VERIFY, '-pubkey', '-subject', '-nameopt', 'utf8'], {
    csr: request,
  })
  const publicKey = createPublicKey(createPrivateKey(key)).export({ format: 'pem', type: 'spki' })
  expect(verified).toContain(publicKey.toString().trim())
  expect(verified).toContain(name === '' ? 'subject=' : `CN=${name}`)
})

test('a signature is encoded in the shortest form, whatever its numbers are', async () => {
  for (let count = 0; count < 20; count += 1)
    expect(await openssl(['req', '-in', '{csr}', ...VERIFY], { csr: (await makeKeyRequest('many')).request })).toMatch(
      /verify OK/,
    )
})
