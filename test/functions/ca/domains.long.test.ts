import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startBehindProxy, type BehindProxy } from '../../support/behind-proxy.ts'
import { DAY, expectRefused, Holder, vaultOf, type Vault } from '../vault/vault.ts'
import { authoritiesOf, LOCAL, openssl, someName, verified } from './ca.ts'

let started: BehindProxy
let vault: Vault
let ca: ReturnType<typeof authoritiesOf>
let adminId = ''
beforeAll(async () => {
  started = await startBehindProxy()
  vault = vaultOf(started.service)
  ca = authoritiesOf(vault.admin)
  adminId = (await vault.user('of-children', [])).sub
})
afterAll(() => started.stop())
beforeEach(() => started.proxy.reset())

const tryDomain = (body: object = {}) =>
  vault.admin.call('POST', '/v1/domains', { name: someName('branch'), admins: [adminId], ...body })
const newDomain = async (body: object = {}): Promise<any> => {
  const { status, body: made } = await tryDomain(body)
  expect(status, JSON.stringify(made)).toBe(201)
  return made
}
/** The administrator of a child domain. */
const within = ({ name }: any): Holder =>
  new Holder(started.service, () => started.service.logIn('of-children', 'Pass-word-11x', { domain: name }))
const authoritiesIn = async (domain: any): Promise<any[]> => (await within(domain).ok('GET', LOCAL)).resources
const certsOf = async (authority: any): Promise<any[]> =>
  (await vault.admin.ok('GET', `${ca.at(authority, '/certs')}?limit=-1`)).resources

/** Ends the function that creates domains at its n-th transaction on an authority of the new domain. */
function dieAtPlan(n: number): () => void {
  let seen = 0
  return started.proxy.inject({
    fault: 'internal-error',
    operation: 'TransactWriteItems',
    when: (request) => {
      if (JSON.stringify(request).includes('domain-ca-plan') && ++seen === n)
        void started.service.deployment.kill('users')
      return false // the write takes effect; its caller no longer exists
    },
  })
}

test('without an active local CA in the root domain, a domain gets none', async () => {
  await ca.pending()
  const domain = await newDomain()
  expect(domain).not.toHaveProperty('parent_ca_id')
  expect(await authoritiesIn(domain)).toEqual([])
})

describe('a domain with a parent', () => {
  let oldest: any
  let younger: any
  beforeAll(async () => {
    oldest = await ca.root()
    younger = await ca.root({ algorithm: 'RSA' })
  })

  test('has an authority of its own, which the oldest active one signed', async () => {
    const domain = await newDomain({ name: 'Shöp & Sons' })
    expect(domain.parent_ca_id).toBe(oldest.id)
    expect(await vault.admin.ok('GET', `/v1/domains/${domain.id}`)).toEqual(domain)
    const [own, ...more] = await authoritiesIn(domain)
    expect(more).toEqual([])
    expect(own).toMatchObject({ name: 'Shöp & Sons CA', state: 'active', subject: 'CN=Shöp & Sons CA' })
    expect(own.issuer).toBe(oldest.subject)
    expect(await verified(own.cert, oldest.cert)).toMatch(/OK/)
    const [issued] = (await certsOf(oldest)).filter(({ serialNumber }) => serialNumber === own.serialNumber)
    expect(issued).toMatchObject({ purpose: 'ca', state: 'active', subject: own.subject, notAfter: own.notAfter })
    const inside = authoritiesOf(within(domain))
    const leaf = await inside.issue(own)
    const files = { leaf: leaf.cert, own: own.cert, root: oldest.cert }
    const chain = ['verify', '-x509_strict', '-CAfile', '{root}', '-untrusted', '{own}', '{leaf}']
    expect(await openssl(chain, files)).toMatch(/OK/)
  })

  test('gets an authority of the given parent, and both domains have audit records', async () => {
    const domain = await newDomain({ parent_ca_id: younger.id })
    expect(domain.parent_ca_id).toBe(younger.id)
    const [own] = await authoritiesIn(domain)
    expect(await verified(own.cert, younger.cert)).toMatch(/OK/)
    const made = await vault.records(`message=Create%20Local%20CA&domain=${domain.id as string}`)
    expect(made).toHaveLength(1)
    expect(JSON.stringify(made)).toContain(own.uri)
    expect(JSON.stringify(await vault.records('message=Issue%20Certificate'))).toContain(own.serialNumber)
  })

  test('is revoked by its parent, whose list has it', async () => {
    const [own] = await authoritiesIn(await newDomain())
    const [issued] = (await certsOf(oldest)).filter(({ serialNumber }) => serialNumber === own.serialNumber)
    expect((await ca.revoke(oldest, issued, 'cessationOfOperation')).body).toMatchObject({ state: 'revoked' })
  })

  test('needs an existing, active parent; otherwise nothing is created', async () => {
    const missing = { parent_ca_id: '01890000-0000-7000-8000-000000000000' }
    expectRefused(await tryDomain(missing), 404, 5, '#/parent_ca_id')
    const pending = await ca.pending()
    const name = someName('branch')
    expectRefused(await tryDomain({ name, parent_ca_id: pending.id }), 409, 8, '#/parent_ca_id')
    expectRefused(await tryDomain({ parent_ca_id: 'x' }), 422, 2, '#/parent_ca_id')
    const parent = await ca.external({ cert: oldest.cert })
    const { cert } = await ca.issue(oldest, { purpose: 'ca', csr: pending.csr })
    await vault.admin.ok('POST', ca.at(pending, '/install'), { cert, parent_id: parent.id })
    expectRefused(await tryDomain({ parent_ca_id: pending.id }), 422, 2, '#/parent_ca_id') // none may be below it
    expect((await newDomain({ name })).name).toBe(name)
  })

  test('is deleted with its authority and the issued certificates; other keys prevent the deletion', async () => {
    const domain = await newDomain()
    const inside = within(domain)
    const [own] = await authoritiesIn(domain)
    await authoritiesOf(inside).issue(own)
    const key = await inside.create()
    const remove = () => vault.admin.call('DELETE', `/v1/domains/${domain.id as string}`)
    const refused = await remove()
    expectRefused(refused, 409, 9)
    expect(refused.body.detail).toBe('1 key of the domain must be deleted first.')
    await inside.remove(key.id)
    expect((await remove()).body).toEqual({ status: 204 })
    const crl = () => started.service.call('GET', `${ca.at(own)}/crl`)
    expect((await crl()).status).toBe(200)
    vault.advance(3 * 60_000)
    expect(await vault.sweep()).toMatchObject({ purged: 1 })
    expect((await crl()).status).toBe(404)
    const [issued] = (await certsOf(oldest)).filter(({ serialNumber }) => serialNumber === own.serialNumber)
    expect(issued.state).toBe('active')
  })

  test.each([1, 2])('gets one authority, also when the function ends at transaction %i', async (n) => {
    const name = someName('branch')
    await vault.admin.token()
    await newDomain() // lists that were compacted meanwhile are read again: the next commit is one transaction
    const disarm = dieAtPlan(n)
    const { status } = await tryDomain({ name })
    disarm()
    expect(status).toBeGreaterThanOrEqual(500)
    expect((await vault.admin.ok('GET', `/v1/domains?name=${name}`)).total).toBe(1)
    vault.advance(2 * 60_000)
    const sweeps = await Promise.all([vault.sweep(), vault.sweep()])
    expect(sweeps).toHaveLength(2)
    await vault.sweep()
    const [own, ...more] = await authoritiesIn({ name })
    expect(own).toMatchObject({ name: `${name} CA`, state: 'active' })
    expect(more).toEqual([])
    expect((await certsOf(oldest)).filter(({ subject }) => subject === own.subject)).toHaveLength(1)
  })

  test('waits for its authority while the key of the parent does not sign', async () => {
    const parent = await ca.root()
    await vault.admin.act(`ca-${parent.id as string}`, 'archive')
    const domain = await newDomain({ parent_ca_id: parent.id })
    vault.advance(2 * 60_000)
    await vault.sweep()
    expect(await authoritiesIn(domain)).toEqual([])
    await vault.admin.act(`ca-${parent.id as string}`, 'recover')
    vault.advance(DAY / 12)
    await vault.sweep()
    expect(await authoritiesIn(domain)).toMatchObject([{ issuer: parent.subject }])
  })

  test('gets no authority if its parent is deleted first', async () => {
    const parent = await ca.root()
    await vault.admin.act(`ca-${parent.id as string}`, 'archive')
    const domain = await newDomain({ parent_ca_id: parent.id })
    await vault.admin.ok('DELETE', ca.at(parent))
    vault.advance(DAY / 12)
    await vault.sweep()
    expect(await authoritiesIn(domain)).toEqual([])
    const records = await vault.records(`message=Create%20Local%20CA&domain=${domain.id as string}`)
    expect(records).toMatchObject([{ success: false }])
  })
})
