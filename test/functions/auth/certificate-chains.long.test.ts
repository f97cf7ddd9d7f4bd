import { expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import type { KeyedCertificate } from '../../support/mutual-tls.ts'
import type { Answered } from '../../support/service.ts'
import { authoritiesOf, newRequest, openssl } from '../ca/ca.ts'
import { Holder } from '../vault/vault.ts'
import { useClients } from './clients.ts'

/** Log-ins with certificates of subordinate authorities. */
const all = useClients()
const wait = (): void => all().service.deployment.clock.advance(5_000)

/** Issues a certificate with openssl, below another one or self-signed. */
async function certified(
  subject: string,
  extensions: readonly string[],
  issuer?: KeyedCertificate,
): Promise<KeyedCertificate> {
  const { csr, key } = await newRequest(subject)
  const signer = issuer === undefined ? ['-key', '{key}'] : ['-CA', '{by}', '-CAkey', '{byKey}']
  const files = { csr, key, by: issuer?.cert ?? '', byKey: issuer?.key ?? '', ext: extensions.join('\n') }
  const said = await openssl(['x509', '-req', '-in', '{csr}', ...signer, '-days', '3650', '-extfile', '{ext}'], files)
  const [cert = ''] = /-----BEGIN[^]+END CERTIFICATE-----/.exec(said) ?? []
  return { cert, key }
}
const ofAuthority = (constraints = ''): string[] => [
  `basicConstraints=critical,CA:TRUE${constraints}`,
  'keyUsage=critical,keyCertSign,cRLSign',
]
const OF_CLIENT = ['basicConstraints=CA:FALSE', 'extendedKeyUsage=clientAuth']

const external = async ({ cert }: KeyedCertificate, parent?: string): Promise<string> =>
  (await all().ca.external({ cert, parent })).id as string
const letClientsIn = (id: string): Promise<unknown> =>
  all().admin.ok('PATCH', `/v1/ca/external-cas/${id}`, { allow_client_authentication: true })
const registered = async (name: string, identity: KeyedCertificate): Promise<string> =>
  (await all().client({ name, identity, do_not_modify_subject_dn: true })).id

test('a client logs in by an authority below two others', async () => {
  const root = await certified('/CN=Top', ofAuthority())
  const middle = await certified('/CN=Middle', ofAuthority(',pathlen:1'), root)
  const low = await certified('/CN=Low', ofAuthority(',pathlen:0'), middle)
  const identity = await certified('/CN=at-the-end', OF_CLIENT, low)
  const id = await external(low, await external(middle, await external(root)))
  await letClientsIn(id)
  const client = await registered('at-the-end', identity)
  expect((await all().logIn(client, identity)).status).toBe(200)
})

test('a client is refused if its chain is longer than an authority allows', async () => {
  const root = await certified('/CN=Short Top', ofAuthority(',pathlen:0'))
  const middle = await certified('/CN=Short Middle', ofAuthority(), root)
  const [one, other] = [await certified('/CN=one', OF_CLIENT, root), await certified('/CN=other', OF_CLIENT, middle)]
  const rootId = await external(root)
  const id = await external(middle, rootId)
  await letClientsIn(rootId)
  await letClientsIn(id)
  expect((await all().logIn(await registered('one', one), one)).status).toBe(200)
  expect((await all().logIn(await registered('other', other), other)).status).toBe(401)
})

test('a client of an authority that a local one signed logs in until that one revokes it', async () => {
  const { ca, admin, authority } = all()
  const pending = await ca.pending({ cn: 'Below the clients root' })
  const signed = await ca.issue(authority, { purpose: 'ca', csr: pending.csr })
  const parent = await ca.external({ cert: authority.cert })
  await admin.ok('POST', ca.at(pending, '/install'), { cert: signed.cert, parent_id: parent.id })
  await all().allow(pending, { client: true })
  const { id, identity } = await all().client({ name: 'below' }, pending)
  expect((await all().logIn(id, identity)).status).toBe(200)
  await ca.revoke(authority, signed, 'certificateHold')
  wait()
  expect((await all().logIn(id, identity)).status).toBe(401)
  await ca.resume(authority, signed)
  wait()
  expect((await all().logIn(id, identity)).status).toBe(200)
})

test("a user logs in by the authority of a child domain, until the root's authority revokes that", async () => {
  const { ca, admin, authority, service } = all()
  const { child, childId } = await childAdmin(service, 'shop', { allow_user_management: true })
  const holder = new Holder(service, () => Promise.resolve(child))
  const inside = authoritiesOf(holder)
  const [own] = (await holder.ok('GET', '/v1/ca/local-cas')).resources
  expect(own.issuer).toBe(authority.subject)
  await holder.ok('PATCH', inside.at(own), { allow_user_authentication: true })
  const { csr, key } = await newRequest('/O=Shop/CN=till')
  const { cert } = await inside.issue(own, { purpose: 'client', csr })
  await holder.ok('POST', '/v1/usermgmt/users', {
    ...{ username: 'till', password: 'Correct-horse-7', allowed_auth_methods: ['user_certificate'] },
    certificate_subject_dn: 'CN=till,O=Shop',
  })
  const logIn = (): Promise<Answered> =>
    all().over({ cert, key }, 'POST', '/v1/auth/tokens', { body: { grant_type: 'user_certificate', domain: childId } })
  const { status, body } = await logIn()
  expect(status, JSON.stringify(body)).toBe(200)
  const issued = (await admin.ok('GET', `${ca.at(authority, '/certs')}?limit=-1`)).resources as any[]
  const certificate = issued.find(({ serialNumber }) => serialNumber === own.serialNumber)
  await ca.revoke(authority, certificate, 'cACompromise')
  wait()
  expect((await logIn()).status).toBe(401)
})
