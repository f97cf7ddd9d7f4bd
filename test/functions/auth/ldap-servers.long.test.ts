import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { loginConnections } from '../../../shared/identity/connections/store.ts'
import { users } from '../../../shared/identity/users/store.ts'
import { sealedUnder } from '../../../shared/keyring/sealing.ts'
import { authority } from '../../support/certificates.ts'
import { BASE, DIRECTORY_SERVERS, GROUPS, startDirectory, type TestDirectory } from '../../support/directory.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { useService, type Answered } from '../../support/service.ts'

/** Log-ins through every kind of directory server on this machine. */
const service = useService()
let admin = ''
beforeAll(async () => {
  pointProcessAt(service().deployment.environmentOf('triggers'))
  admin = await service().logIn()
})

const GUID = Buffer.from('00ff8a1b2c3d4e5f6071829310b4c5d6', 'hex')
const asAdmin = (method: string, path: string, body?: object): Promise<Answered> =>
  service().call(method, path, { token: admin, ...(body && { body }) })

describe.each(DIRECTORY_SERVERS)('a directory of %s', (server) => {
  let directory: TestDirectory
  const nameOf = (name: string): string => `${name}-${server}`
  const at = (name: string): string => `/v1/usermgmt/connections/${nameOf(name)}`
  beforeAll(async () => {
    const people = ['ann', 'ben', 'cid', 'dot', 'eve'].map((name) => ({
      ...{ uid: nameOf(name), password: `${name}-Secret-1`, mail: `${name}@company.test` },
      ...(name === 'ben' && { objectGUID: GUID }),
    }))
    directory = await startDirectory(people, ['outer', 'inner'], server)
  })
  afterAll(() => directory.stop())

  async function connection(name: string, more: object = {}, mappings: object[] = []): Promise<void> {
    const ldap = {
      ...{ url: directory.ldaps, ca_cert: directory.caCert, base_dn: BASE, group_base_dn: GROUPS },
      ...{ bind_dn: directory.bindDn, bind_password: directory.bindPassword, email_attribute: 'mail', ...more },
    }
    const body = { name: nameOf(name), strategy: 'ldap', create_users: true, group_mappings: mappings, ldap }
    const made = await asAdmin('POST', '/v1/usermgmt/connections', body)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
  }
  const logIn = (name: string, by: string, password = `${name}-Secret-1`): Promise<Answered> =>
    service().call('POST', '/v1/auth/tokens', { body: { name: nameOf(name), password, connection: nameOf(by) } })
  const groupsOf = ({ body }: Answered): string[] =>
    JSON.parse(Buffer.from(String(body.jwt).split('.')[1] ?? '', 'base64url').toString()).cust.groups

  test('logs users in over StartTLS, and none if its certificate is not trusted', async () => {
    await connection('start', { url: directory.ldap, start_tls: true })
    const { status, body } = await logIn('ann', 'start')
    expect(status, JSON.stringify(body)).toBe(200)
    expect((await logIn('ann', 'start', 'wrong')).status).toBe(401)
    await connection('start-untrusted', { url: directory.ldap, start_tls: true, ca_cert: authority('Another').cert })
    expect((await logIn('cid', 'start-untrusted')).status).toBe(503)
  })

  test('identifies users by objectGUID, in hex', async () => {
    await connection('guid', { id_attribute: 'objectGUID' })
    const first = await logIn('ben', 'guid')
    expect(first.status, JSON.stringify(first.body)).toBe(200)
    expect((await logIn('ben', 'guid')).status).toBe(200)
    const stored = await users.find(ROOT_DOMAIN_ID, 'username', nameOf('ben'))
    expect(stored?.item.external_id).toBe(GUID.toString('hex'))
    expect((await logIn('dot', 'guid')).status).toBe(401) // without an id, users cannot be distinguished
  })

  test('groups in groups are not looked up', async () => {
    await connection('nested', {}, [
      { external: 'inner', group: 'Key Users' },
      { external: 'outer', group: 'Key Admins' },
    ])
    await directory.setGroup('inner', [nameOf('cid')])
    await directory.setGroup('outer', [], ['inner'])
    expect(groupsOf(await logIn('cid', 'nested'))).toEqual(['Key Users'])
    await directory.setGroup('outer', [nameOf('cid')], ['inner'])
    expect(groupsOf(await logIn('cid', 'nested')).toSorted()).toEqual(['Key Admins', 'Key Users'])
  })

  test('a changed connection is not searched by sessions of its former state', async () => {
    await connection('pooled')
    const change = async (ldap: object): Promise<void> =>
      expect(await asAdmin('PATCH', at('pooled'), { ldap })).toMatchObject({ status: 200 })
    expect((await logIn('dot', 'pooled')).status).toBe(200)
    await change({ bind_password: 'not the password' })
    expect((await logIn('dot', 'pooled')).status).toBe(503)
    await change({ bind_password: directory.bindPassword, user_filter: `(!(uid=${nameOf('dot')}))` })
    expect((await logIn('dot', 'pooled')).status).toBe(401)
    await change({ user_filter: '(objectClass=person)' })
    expect((await logIn('dot', 'pooled')).status).toBe(200)
  })

  test('after a rotation of the domain key the password of bind_dn is sealed under the new one, and works', async () => {
    await connection('resealed')
    const { body: key } = await asAdmin('POST', `/v1/domains/${ROOT_DOMAIN_ID}/rotate-kek`)
    service().deployment.clock.advance(121_000)
    await service().deployment.fire('reseal-keys')
    const stored = await loginConnections.find(ROOT_DOMAIN_ID, 'name', nameOf('resealed'))
    expect(sealedUnder(stored?.item.sealed ?? '')).toBe(key.id)
    expect((await logIn('eve', 'resealed')).status).toBe(200)
  })
})
