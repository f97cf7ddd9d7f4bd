import { beforeAll, beforeEach, expect, test } from 'vitest'
import { ADA, BOB, EVE, refused, TENANTS, useDke } from './dke-data.ts'

const dke = useDke()

const byMail = (...authorized_email_addresses: string[]) => ({
  authorization_params: { authorization_type: 'email', email_authz_params: { authorized_email_addresses } },
})
const byRole = (...authorized_roles: string[]) => ({
  authorization_params: { authorization_type: 'role', role_authz_params: { authorized_roles } },
})

beforeAll(async () => {
  const { applications } = dke().suite.directory
  for (const { tenant, clientId, clientSecret } of applications)
    await dke().vault.admin.ok('POST', TENANTS, {
      name: `of ${tenant}`,
      tenant_id: tenant,
      client_id: clientId,
      client_secret: clientSecret,
    })
})
beforeEach(() => dke().suite.reset())

test.each([
  ['*@contoso.com', 'Alice@CONTOSO.com', 200],
  ['*@contoso.com', ' alice@contoso.com ', 200],
  ['*@contoso.com', 'alice@contoso.com.evil.org', 403],
  ['*@contoso.com', 'alice@contosoxcom', 403],
  ['bob?@fabrikam.com', 'bob1@fabrikam.com', 200],
  ['bob?@fabrikam.com', 'bob@fabrikam.com', 403],
  ['bob?@fabrikam.com', 'bob12@fabrikam.com', 403],
  ['?*@contoso.com', '@contoso.com', 403],
  ['a+b@contoso.com', 'a+b@contoso.com', 200],
  ['a+b@contoso.com', 'aab@contoso.com', 403],
  ['*@contoso.com', 'al\u0130ce@contoso.com', 403],
  ['kay@contoso.com', '\u212aay@contoso.com', 403],
])('the pattern %s and the address %s: %i', async (pattern, email, status) => {
  expect(await dke().opens(await dke().create(byMail(pattern)), { claims: { email } })).toBe(status)
})

test('a pattern of many stars is matched quickly', async () => {
  const own = await dke().create(byMail(`${'*a'.repeat(150)}b`))
  const email = `${'a'.repeat(300)}@x.test`
  expect(await dke().opens(own, { claims: { email } })).toBe(403)
})

test('the email claim takes precedence over upn; without either the request is invalid', async () => {
  const own = await dke().create(byMail('ada@*'))
  expect(await dke().opens(own)).toBe(200)
  expect(await dke().opens(own, { claims: { email: 'else@shop.example.test' } })).toBe(403)
  expect(await dke().opens(own, { claims: { email: '' } })).toBe(200)
  const { kid, value } = await dke().protect(own)
  const claims = { upn: undefined, preferred_username: ADA, unique_name: ADA, name: ADA }
  expect(await dke().decrypt(kid, value, { claims })).toEqual(refused(400))
})

test('a caller without permission is refused before the algorithm is checked', async () => {
  const own = await dke().create(byMail('nobody@x.test'))
  const { kid, value } = await dke().protect(own)
  expect(await dke().decrypt(kid, value, { alg: 'RSA1_5' })).toEqual(refused(403))
})

test('tenants alone admit all their people; an endpoint without rules admits no one', async () => {
  const both = await dke().create({ auth_tenants: [dke().tenantOf(ADA), dke().tenantOf(EVE)] })
  expect([await dke().opens(both), await dke().opens(both, { upn: EVE })]).toEqual([200, 200])
  const none = await dke().create({ auth_tenants: [] })
  expect(await dke().opens(none)).toBe(401) // no issuer is accepted
})

test('members of a role or group, by name or id and through nested groups, are admitted, and others are not', async () => {
  const { groups } = dke().suite.directory
  const staff = await dke().create(byRole('STAFF'))
  expect([await dke().opens(staff), await dke().opens(staff, { upn: BOB })]).toEqual([200, 403])
  const auditors = groups.find(({ displayName }) => displayName === 'Compliance Auditors')
  const byId = await dke().create(byRole(auditors?.id.toUpperCase() ?? '', 'else'))
  expect([await dke().opens(byId), await dke().opens(byId, { upn: BOB })]).toEqual([403, 200])
})

test('memberships of several pages are read completely, and once for several calls', async () => {
  const max = 'max@shop.example.test'
  const own = await dke().create(byRole('Project 2099'))
  expect(await dke().opens(own, { upn: max })).toBe(200)
  const { memberOf } = dke().suite.counts()
  expect(memberOf).toBe(3)
  expect([await dke().opens(own, { upn: max }), dke().suite.counts().memberOf]).toEqual([200, 3])
  dke().vault.advance(61_000) // a membership is cached for a minute
  expect([await dke().opens(own, { upn: max }), dke().suite.counts().memberOf]).toEqual([200, 6])
})

test('no one is admitted while the directory is unreachable, throttles, refuses or sends malformed answers', async () => {
  for (const fault of ['throttle', 'server-error', 'access-denied', 'cut-after', 'bad-json'] as const) {
    const own = await dke().create(byRole('Staff'))
    await dke().vault.service.deployment.kill('dke-data')
    dke().suite.inject({ fault, operation: 'memberOf' })
    const { kid, value } = await dke().protect(own)
    const answered = await dke().decrypt(kid, value)
    expect(answered, fault).toEqual(refused(503))
    expect(answered.headers['retry-after']).toBe('1')
    dke().suite.reset()
    expect((await dke().decrypt(kid, value)).status, fault).toBe(200)
  }
})

test('an application without permission to read the directory admits no one; a token without oid is invalid', async () => {
  const bank = await dke().create({ auth_tenants: [dke().tenantOf(EVE)], ...byRole('Tellers') })
  expect(await dke().opens(bank, { upn: EVE })).toBe(503)
  const own = await dke().create(byRole('Staff'))
  for (const oid of [undefined, '../groups', 'x'.repeat(36)])
    expect(await dke().opens(own, { claims: { oid } }), String(oid)).toBe(400)
})
