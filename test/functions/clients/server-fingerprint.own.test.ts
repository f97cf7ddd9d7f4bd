import type { X509Certificate } from 'node:crypto'
import { connect } from 'node:tls'
import { expect, test } from 'vitest'
import { expectRefused, useVault } from '../vault/vault.ts'
import { AT } from './clients.ts'

const PATH = `${AT}/webcert-fingerprint/`
const vault = useVault({ tlsPort: 'any' })

/** The certificate that a connecting client sees. */
const seen = ({ hostname, port }: URL): Promise<X509Certificate> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      const certificate = socket.getPeerX509Certificate()
      socket.destroy()
      if (certificate === undefined) reject(new Error('no certificate'))
      else resolve(certificate)
    })
    socket.on('error', reject)
  })

test('the fingerprint of the service is that of its certificate', async () => {
  const { fingerprint256 } = await seen(new URL(vault().service.deployment.tlsBaseUrl ?? ''))
  const answer = { sha256_fingerprint: fingerprint256.replaceAll(':', '').toLowerCase() }
  expect(await vault().admin.ok('GET', PATH)).toEqual(answer)
  const { holder } = await vault().user('keeper', ['Key Admins'])
  expectRefused(await holder.call('GET', PATH), 403, 4)
})
