import { expect, test } from 'vitest'
import { createKeymgr, type Keymgr } from '../../../clients/sdk/client.ts'
import { logIn } from '../../../clients/sdk/log-in.ts'
import { certificateFetch } from '../../../clients/sdk/node.ts'
import { UnreachableError } from '../../../clients/sdk/problem.ts'
import { byClientCertificate, byUserCertificate, type Way } from '../../../clients/sdk/ways.ts'
import type { KeyedCertificate } from '../../support/mutual-tls.ts'
import { useClients } from '../../functions/auth/clients.ts'
import { thrownBy } from './thrown-by.ts'

const all = useClients()
function over(way: Way, { cert, key }: KeyedCertificate): { keymgr: Keymgr; logOut: () => Promise<void> } {
  const { tlsBaseUrl, caCertificate = '', clock } = all().service.deployment
  const options = {
    baseUrl: `${String(tlsBaseUrl)}/api`,
    fetch: certificateFetch({ cert, key, ca: caCertificate }),
    timing: { now: () => clock.now().getTime(), wait: () => Promise.resolve(), random: () => 0 },
  }
  const { token, logOut } = logIn(way, options)
  return { keymgr: createKeymgr({ ...options, token }), logOut }
}

test('a registered client logs in by certificate, and again when its token ends', async () => {
  const { id, identity } = await all().client({ groups: ['Key Users'] })
  const { keymgr, logOut } = over(byClientCertificate(id), identity)
  const made = await keymgr.post('/v1/vault/keys2', { body: { name: 'of a client', algorithm: 'aes' } })
  expect(made.name).toBe('of a client')
  all().advance(301_000)
  expect(await keymgr.get('/v1/vault/keys2/{id}', { path: { id: made.id } })).toMatchObject({ name: 'of a client' })
  await logOut()
})

test('a user logs in by certificate, and the log-in is renewed with it', async () => {
  const username = 'person-of-sdk'
  await all().admin.ok('POST', '/v1/usermgmt/users', {
    ...{ username, password: 'Pass-word-1x', allowed_auth_methods: ['user_certificate'] },
    certificate_subject_dn: `CN=${username},O=Shop`,
  })
  const { keymgr } = over(byUserCertificate(), await all().issued(`/O=Shop/CN=${username}`))
  expect((await keymgr.get('/v1/auth/self/user')).username).toBe(username)
  all().advance(301_000)
  expect((await keymgr.get('/v1/auth/self/user')).username).toBe(username)
})

test('a certificate of neither a client nor a user is refused', async () => {
  const { id } = await all().client()
  const stranger = await all().issued('/O=Shop/CN=stranger')
  for (const way of [byClientCertificate(id), byUserCertificate()])
    expect(await thrownBy(over(way, stranger).keymgr.get('/v1/vault/keys2'))).toMatchObject({ kind: 'unauthenticated' })
})

test('a service of another authority is not trusted, and is called once', async () => {
  const { identity } = await all().client()
  const keymgr = createKeymgr({
    baseUrl: `${String(all().service.deployment.tlsBaseUrl)}/api`,
    fetch: certificateFetch({ cert: identity.cert, key: identity.key }),
  })
  const error = await thrownBy(keymgr.get('/v1/system/info'))
  expect(error).toBeInstanceOf(UnreachableError)
  expect(error).toMatchObject({ attempts: 1, message: expect.stringContaining('certificate') as string })
})

test('a certificate is sent only over TLS, and a signal ends a call', async () => {
  const { identity } = await all().client()
  const fetchWith = certificateFetch({ cert: identity.cert, key: identity.key })
  await expect(fetchWith('http://127.0.0.1/api')).rejects.toThrow(TypeError)
  const signal = AbortSignal.abort(new Error('enough'))
  const { keymgr } = over(byUserCertificate(), identity)
  expect(await thrownBy(keymgr.get('/v1/vault/keys2', { signal }))).toMatchObject({ message: 'enough' })
})
