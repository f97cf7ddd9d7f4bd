import { beforeAll, expect, test } from 'vitest'
import { jwkOf } from '../../support/issuer.ts'
import { expectRefused } from '../vault/vault.ts'
import { KEY, someName, useWorkspace, workspaceOf } from './workspace-cse.ts'

const { vault, provider } = useWorkspace()
let cse: ReturnType<typeof workspaceOf>
beforeAll(() => {
  cse = workspaceOf(vault().admin, provider())
})

/** This number of different texts of the same length. */
const texts = (count: number, characters: number, of: (filled: string) => string): string[] =>
  Array.from({ length: count }, (_, at) => of(`${at}-`.padEnd(characters - of('').length, 'a')))

test('an endpoint whose lists and texts are as long as each may be fits into a record of the table', async () => {
  const jwksURL = `${provider().keySet}?`.padEnd(1_024, '"') // each of these characters needs two bytes in JSON
  provider().answerJson(`/certs${new URL(jwksURL).search}`, { keys: [jwkOf(KEY)] })
  const issuer: string[] = []
  for (const iss of texts(20, 1_024, (filled) => `https://idp.test/${filled}`))
    issuer.push((await cse.issuer({ iss, jwksURL })).id)
  const audiences = texts(50, 255, (filled) => filled)
  const services = texts(20, 1_024, (filled) => `https://kacls.test/${filled}`)
  const endpoint = await cse.create({
    issuer,
    authenticationAud: audiences,
    authorizationAud: audiences,
    cors: texts(20, 1_024, (filled) => `https://${filled}.test`),
    meta: { text: 'm'.repeat(16_000) },
    endpoint_url: services[0],
  })
  const perimeter = 'package p\nallow := false\n#'.padEnd(65_536, '"')
  expect((await cse.setPart(endpoint, 'perimeters', perimeter)).status).toBe(200)
  expect((await cse.update(endpoint, { allow_privileged_unwrap: true })).status).toBe(200)
  expect((await cse.setPart(endpoint, 'rewrap-configuration', { kacls_base_url: services })).status).toBe(200)
  const users = texts(200, 320, (filled) => `${filled}@shop.test`)
  const opening = { kacls_base_url: services, users }
  expect((await cse.setPart(endpoint, 'privileged-unwrap-configuration', opening)).status).toBe(200)
  for (const action of ['rotate-key', 'disable', 'enable'])
    expect((await cse.act(endpoint, action)).status, action).toBe(200)
})

test.each(['"', '\\'])('%s, which takes two bytes in a record, is not part of names in lists', async (character) => {
  expectRefused(await cse.tryIssuer({ iss: `https://idp.test/${character}` }), 422, 2, '#/iss')
  const audience = { authenticationAud: [`client${character}`] }
  const own = await cse.create()
  expectRefused(await cse.update(own, audience), 422, 2, '#/authenticationAud/0')
  await cse.update(own, { allow_privileged_unwrap: true })
  const users = { users: [`${character}${someName('u')}@shop.test`] }
  expectRefused(await cse.setPart(own, 'privileged-unwrap-configuration', users), 422, 2, '#/users/0')
})

test('an origin with a wildcard is refused, since no page has it', async () => {
  const own = await cse.create()
  expectRefused(await cse.update(own, { cors: ['https://*.example.test'] }), 422, 2, '#/cors/0')
})
