import { beforeAll, describe, expect, test } from 'vitest'
import { authority } from '../../support/certificates.ts'
import { expectRefused, useVault } from '../vault/vault.ts'
import { authoritiesOf, EXTERNAL, openssl, someName } from './ca.ts'

const vault = useVault()
const admin = () => vault().admin
let ca: ReturnType<typeof authoritiesOf>
let root: any
beforeAll(async () => {
  ca = authoritiesOf(admin())
  root = await ca.root({ cn: 'Elsewhere' })
})
const at = ({ id }: any): string => `${EXTERNAL}/${id as string}`

describe('an external authority', () => {
  test('is known by its certificate', async () => {
    const { cert } = authority('Elsewhere Root')
    const made = await ca.external({ name: 'elsewhere', cert })
    expect(made).toMatchObject({
      uri: expect.stringMatching(/:ca:external-ca:/),
      name: 'elsewhere',
      state: 'active',
      subject: 'CN=Elsewhere Root',
      issuer: 'CN=Elsewhere Root',
      purpose: { client_authentication: false, user_authentication: false },
    })
    expect(await admin().ok('GET', at(made))).toEqual(made)
    expectRefused(await ca.tryExternal({ cert }), 409, 7, '#/cert')
    expectRefused(await ca.tryExternal({ cert: authority('Other').cert, name: 'elsewhere' }), 409, 7, '#/name')
    const { resources } = await admin().ok(
      'GET',
      `${EXTERNAL}?${new URLSearchParams({ cert, state: 'active' }).toString()}`,
    )
    expect(resources).toEqual([made])
    const changed = await admin().ok('PATCH', at(made), { allow_client_authentication: true })
    expect(changed.purpose.client_authentication).toBe(true)
    expectRefused(await admin().call('PATCH', at(made), { cert }), 400, 1, '#/cert')
    expect(await admin().ok('DELETE', at(made))).toEqual({ status: 204 })
    expectRefused(await admin().call('GET', at(made)), 404, 5)
    expect((await ca.tryExternal({ cert })).status).toBe(201)
  })

  test('is one certificate of an authority', async () => {
    const elsewhere = authority('A')
    const { cert: leaf, key } = elsewhere.issue('leaf')
    for (const cert of [leaf, key, 'none', elsewhere.cert + elsewhere.cert, root.csr])
      expectRefused(await ca.tryExternal({ cert }), 422, 2, '#/cert')
    expectRefused(await ca.tryExternal({}), 422, 2, '#/cert')
  })

  test('keeps the parent that signed it, which cannot be deleted meanwhile', async () => {
    const below = await ca.pending({ cn: 'Below' })
    const { cert } = await ca.issue(root, { purpose: 'ca', csr: below.csr })
    const [parent, other] = [await ca.external({ cert: root.cert }), await ca.external({ cert: authority('B').cert })]
    expectRefused(await ca.tryExternal({ cert, parent: other.id }), 422, 2, '#/parent')
    expectRefused(await ca.tryExternal({ cert, parent: root.id }), 404, 5, '#/parent')
    const child = await ca.external({ cert, parent: parent.id })
    expectRefused(await admin().call('DELETE', at(parent)), 409, 9)
    await admin().ok('DELETE', at(child))
    await admin().ok('DELETE', at(parent))
  })
})

describe('a certificate that is installed', () => {
  test('makes an authority active', async () => {
    const parent = await ca.external({ cert: root.cert, name: someName('parent') })
    const below = await ca.pending({ cn: 'Installed' })
    const { cert } = await ca.issue(root, { purpose: 'ca', csr: below.csr })
    const install = (body: object) =>
      admin().call('POST', ca.at(below, '/install'), { cert, parent_id: parent.id, ...body })

    const foreign = await ca.issue(root, { purpose: 'ca', csr: (await ca.pending()).csr })
    expectRefused(await install({ cert: foreign.cert }), 422, 2, '#/cert') // a certificate with another key
    const { cert: leaf } = await ca.issue(root, { purpose: 'server', csr: below.csr })
    expectRefused(await install({ cert: leaf }), 422, 2, '#/cert') // not an authority's certificate
    expectRefused(await install({ cert: 'none' }), 422, 2, '#/cert')
    const stranger = await ca.external({ cert: authority('Elsewhere').cert })
    expectRefused(await install({ parent_id: stranger.id }), 422, 2, '#/cert') // the same name, another key
    expectRefused(await install({ parent_id: root.id }), 404, 5, '#/parent_id')
    expect(await ca.get(below)).toEqual(below)

    const { status, body } = await install({})
    expect([status, body]).toMatchObject([200, { state: 'active', cert, issuer: root.subject, csr: below.csr }])
    expectRefused(await install({}), 409, 8)
    expectRefused(await admin().call('DELETE', at(parent)), 409, 9)
    await admin().ok('DELETE', ca.at(below))
    await admin().ok('DELETE', at(parent))
  })

  test.each<[string, string, number]>([
    ['both uses', 'keyUsage=critical,keyCertSign,cRLSign', 200],
    ['no keyUsage', '', 422],
    ['no use for certificates', 'keyUsage=critical,digitalSignature,cRLSign', 422],
    ['no use for lists', 'keyUsage=critical,keyCertSign', 422],
  ])('with %s lets an authority sign certificates and lists, or is refused', async (_what, usage, status) => {
    const { csr, ...below } = await ca.pending()
    const key = await openssl(['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'])
    const top = ['req', '-x509', '-key', '{key}', '-subj', '/CN=Elsewhere', '-days', '30']
    const issuer = await openssl([...top, '-addext', 'keyUsage=keyCertSign'], { key })
    const ext = `basicConstraints=critical,CA:true\n${usage}\n`
    const sign = [
      'x509',
      '-req',
      '-in',
      '{csr}',
      '-CA',
      '{issuer}',
      '-CAkey',
      '{key}',
      '-days',
      '9',
      '-extfile',
      '{ext}',
    ]
    const printed = await openssl(sign, { csr, issuer, key, ext })
    const cert = printed.slice(printed.indexOf('-----BEGIN'), printed.indexOf('END CERTIFICATE-----') + 20) + '\n'
    const parent = await ca.external({ cert: issuer })
    const installed = await admin().call('POST', ca.at(below, '/install'), { cert, parent_id: parent.id })
    if (status === 200) expect(installed).toMatchObject({ status, body: { state: 'active' } })
    else expectRefused(installed, status, 2, '#/cert')
  })
})
