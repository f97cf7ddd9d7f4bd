import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import '../../../shared/wiring.ts'
import { publishedCrl } from '../../../shared/certificates/publication/revocation-list.ts'
import { childAdmin } from '../../support/callers.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { DAY, expectRefused, Holder, useVault } from '../vault/vault.ts'
import { authoritiesOf, openssl, someName } from './ca.ts'

const vault = useVault()
const admin = () => vault().admin
let ca: ReturnType<typeof authoritiesOf>
let root: any
beforeAll(async () => {
  ca = authoritiesOf(admin())
  root = await ca.root({ cn: 'Root' })
})

/** Longer than any instance caches data. */
const wait = (): void => vault().advance(6_000)
/** The deployment's clock is ahead of openssl's. */
const seconds = (): string => String(Math.floor(vault().service.deployment.clock.now().getTime() / 1_000))
const urlOf = (authority: any, tail: string): string =>
  `${vault().service.deployment.baseUrl}/api${ca.at(authority, tail)}`

async function listOf(authority: any): Promise<Buffer> {
  const response = await fetch(urlOf(authority, '/crl'))
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pkix-crl'])
  return Buffer.from(await response.arrayBuffer())
}
const textOf = (crl: Buffer, authority: any): Promise<string> =>
  openssl(['crl', '-inform', 'DER', '-in', '{crl}', '-noout', '-text', '-CAfile', '{root}'], {
    crl,
    root: authority.cert,
  })
const numberOf = async (crl: Buffer): Promise<bigint> =>
  BigInt(
    (await openssl(['crl', '-inform', 'DER', '-in', '{crl}', '-noout', '-crlnumber'], { crl }))
      .replace(/.*=/s, '')
      .trim(),
  )

/** The status for an OCSP client that sends a nonce and checks the authority's signature. */
async function statusOf(authority: any, { cert }: any, aheadSeconds = '3600'): Promise<string> {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-ocsp-'))
  const file = (name: string): string => path.join(folder, name)
  fs.writeFileSync(file('root'), authority.cert)
  fs.writeFileSync(file('leaf'), cert)
  const asked = [
    '-issuer',
    file('root'),
    '-cert',
    file('leaf'),
    '-CAfile',
    file('root'),
    '-url',
    urlOf(authority, '/ocsp'),
  ]
  const { stdout, stderr } = await promisify(execFile)('openssl', ['ocsp', '-validity_period', aheadSeconds, ...asked])
  fs.rmSync(folder, { recursive: true })
  expect(stderr).toMatch(/Response verify OK/)
  return stdout
}

test('a certificate names where its status is', async () => {
  const { cert } = await ca.issue(root)
  const text = await openssl(['x509', '-in', '{cert}', '-noout', '-text'], { cert })
  expect(text).toContain(`URI:${urlOf(root, '/crl')}`)
  expect(text).toContain(`OCSP - URI:${urlOf(root, '/ocsp')}`)
})

describe('the list of revoked certificates', () => {
  test('contains revoked and held certificates, signed, with increasing numbers', async () => {
    const first = await listOf(root)
    expect(await textOf(first, root)).toMatch(
      /verify OK[^]*No Revoked Certificates|No Revoked Certificates[^]*verify OK/,
    )
    const [good, bad, held] = [await ca.issue(root), await ca.issue(root), await ca.issue(root)]
    await ca.revoke(root, bad, 'keyCompromise')
    await ca.revoke(root, held, 'certificateHold')
    wait()
    const crl = await listOf(root)
    const text = await textOf(crl, root)
    expect(text).toContain('verify OK')
    expect(text).toMatch(new RegExp(`${bad.serialNumber as string}[^]*Key Compromise`, 'i'))
    expect(text).toMatch(new RegExp(`${held.serialNumber as string}[^]*Certificate Hold`, 'i'))
    expect(text.toLowerCase()).not.toContain(good.serialNumber)
    expect(await numberOf(crl)).toBeGreaterThan(await numberOf(first))
    await ca.resume(root, held)
    await admin().ok('DELETE', ca.certAt(root, bad))
    wait()
    const after = (await textOf(await listOf(root), root)).toLowerCase()
    expect(after).not.toContain(held.serialNumber)
    expect(after).toContain(bad.serialNumber) // published with or without its record
  })

  test('lets openssl distinguish good from revoked', async () => {
    const [good, bad] = [await ca.issue(root), await ca.issue(root)]
    await ca.revoke(root, bad, 'superseded')
    wait()
    const pem = await openssl(['crl', '-inform', 'DER', '-in', '{crl}'], { crl: await listOf(root) })
    const check = ({ cert }: any): Promise<string> =>
      openssl(['verify', '-attime', seconds(), '-crl_check', '-CRLfile', '{crl}', '-CAfile', '{root}', '{cert}'], {
        crl: pem,
        root: root.cert,
        cert,
      })
    expect(await check(good)).toMatch(/OK/)
    await expect(check(bad)).rejects.toThrow(/certificate revoked/)
  })
})

describe('a list that is too long for an answer', () => {
  const bounds = { answered: 2, listed: 4 }
  const published = (authority: any, limits = bounds) =>
    publishedCrl({ now: vault().service.deployment.clock.now() }, authority.id, limits)

  test('is an object at a signed address, and has every entry', async () => {
    pointProcessAt(vault().service.deployment.environmentOf('ca'))
    const authority = await ca.root({ cn: 'Long list' })
    const revokeOne = async () => {
      const one = await ca.issue(authority)
      await ca.revoke(authority, one, 'superseded')
      return one
    }
    const revoked = [await revokeOne(), await revokeOne()]
    expect(await published(authority)).toHaveProperty('content')
    revoked.push(await revokeOne())
    wait()
    const list = await published(authority)
    if (!('location' in list)) throw new Error('It is longer than an answer')
    const response = await fetch(list.location)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pkix-crl'])
    const text = await textOf(Buffer.from(await response.arrayBuffer()), authority)
    expect(text).toContain('verify OK')
    for (const { serialNumber } of revoked) expect(text.toLowerCase()).toContain(serialNumber)
    revoked.push(await revokeOne(), await revokeOne())
    wait()
    await expect(published(authority)).rejects.toMatchObject({ reason: 'UNAVAILABLE' })
  })
})

describe('the status of one certificate', () => {
  test('is good, revoked with its reason, or unknown', async () => {
    const [one, deleted] = [await ca.issue(root), await ca.issue(root)]
    expect(await statusOf(root, one)).toMatch(/: good/)
    await ca.revoke(root, one, 'keyCompromise')
    expect(await statusOf(root, one)).toMatch(/: revoked[^]*Reason: keyCompromise/)
    await admin().ok('DELETE', ca.certAt(root, one))
    expect(await statusOf(root, one)).toMatch(/: revoked/)
    await admin().ok('DELETE', ca.certAt(root, deleted))
    expect(await statusOf(root, deleted)).toMatch(/: unknown/)
  })

  test('is asked for in a request that is one', async () => {
    const headers = { 'content-type': 'application/ocsp-request' }
    const ask = (body: string, type = headers) =>
      vault().service.call('POST', ca.at(root, '/ocsp'), { body, headers: type })
    const response = await fetch(urlOf(root, '/ocsp'), { method: 'POST', headers, body: 'none' })
    expect(Buffer.from(await response.arrayBuffer()).toString('hex')).toBe('30030a0101') // malformedRequest
    expectRefused(await ask('a', { 'content-type': 'text/plain' }), 415, 1)
    expectRefused(await ask('a'.repeat(10_000)), 422, 2, '#')
  })
})

describe('the status by the address of the question', () => {
  /** DER of an OCSP request for this serial number. */
  const questionOf = async (authority: any, serial: string, ...more: string[]): Promise<Buffer> => {
    const folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-ocsp-'))
    const [issuer, out] = [path.join(folder, 'issuer'), path.join(folder, 'out')]
    fs.writeFileSync(issuer, authority.cert)
    const asked = ['ocsp', ...(more.length > 0 ? more : ['-no_nonce']), '-issuer', issuer, '-serial', `0x${serial}`]
    await promisify(execFile)('openssl', [...asked, '-reqout', out])
    const question = fs.readFileSync(out)
    fs.rmSync(folder, { recursive: true })
    return question
  }
  const ask = (
    authority: any,
    question: Buffer,
    encode: (text: string) => string = encodeURIComponent,
  ): Promise<Response> => fetch(urlOf(authority, `/ocsp/${encode(question.toString('base64'))}`))
  const textOfAnswer = async (response: Response): Promise<string> =>
    openssl(['ocsp', '-respin', '{answer}', '-CAfile', '{root}', '-resp_text', '-noverify'], {
      answer: Buffer.from(await response.arrayBuffer()),
      root: root.cert,
    })

  test('is the same as by POST, and may be kept until it is out of date', async () => {
    const { serialNumber } = await ca.issue(root)
    const response = await ask(root, await questionOf(root, serialNumber))
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/ocsp-response'])
    const { headers } = response
    const age = /^max-age=(\d+), public, no-transform, must-revalidate$/.exec(headers.get('cache-control') ?? '')?.[1]
    const [from, to] = [headers.get('last-modified'), headers.get('expires')].map((date) => Date.parse(date ?? ''))
    expect((to ?? 0) - (from ?? 0)).toBe(DAY)
    expect(Math.abs(Number(age) - DAY / 1_000)).toBeLessThanOrEqual(6)
    expect(headers.get('etag')).toMatch(/^"[0-9a-f]{64}"$/)
    expect(await textOfAnswer(response)).toMatch(/Cert Status: good/)
  })

  test.each<[string, string, (text: string) => string]>([
    ['a slash in its midst, encoded', 'ffffffffffff', encodeURIComponent],
    ['a slash in its midst, as it is', 'ffffffffffff', (text: string) => text],
    ['slashes at its end', '3f3f3f', (text: string) => text],
    ['slashes at its end, encoded', '3f3f3f', encodeURIComponent],
    ['the alphabet of addresses', 'ffffffffffff', (text: string) => text.replaceAll('/', '_').replaceAll('+', '-')],
  ])('is found for a question with %s', async (_what, serial, encode) => {
    let question = await questionOf(root, serial)
    for (let more = serial; question.length % 3 !== 0;) question = await questionOf(root, (more = `7f${more}`))
    expect(question.toString('base64')).toContain('/')
    expect(await textOfAnswer(await ask(root, question, encode))).toMatch(/Cert Status: unknown/)
  })

  test('is found for a question without its padding', async () => {
    let question = await questionOf(root, '01')
    for (let more = '01'; question.length % 3 === 0;) question = await questionOf(root, (more = `7f${more}`))
    expect(question.toString('base64')).toContain('=')
    expect(await textOfAnswer(await ask(root, question, (text) => text.replaceAll('=', '')))).toMatch(/Cert Status/)
  })

  test('is not cached if it is for one client or reports a fault', async () => {
    const response = await ask(root, await questionOf(root, '01', '-nonce'))
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const malformed = await ask(root, Buffer.from('none'))
    expect(malformed.headers.get('cache-control')).toBe('no-store')
    expect(Buffer.from(await malformed.arrayBuffer()).toString('hex')).toBe('30030a0101')
  })

  test('is refused for invalid base64, and for a missing question', async () => {
    const get = (tail: string) => vault().service.call('GET', ca.at(root, tail))
    expectRefused(await get('/ocsp/not%20base64'), 400, 1, 'request')
    expectRefused(await get('/ocsp'), 405, 6)
    expectRefused(await get('/ocsp/'), 405, 6)
    expectRefused(await vault().service.call('DELETE', ca.at(root, '/ocsp/AAAA/AAAA')), 405, 6)
    const question = await questionOf(root, '01')
    expect((await ask({ ...root, id: '01890000-0000-7000-8000-000000000000' }, question)).status).toBe(404)
  })
})

test('authorities of a child domain publish lists too', async () => {
  const { child: token } = await childAdmin(vault().service, someName('d'))
  const own = authoritiesOf(new Holder(vault().service, () => Promise.resolve(token)))
  const authority = await own.root()
  const issued = await own.issue(authority)
  expect(await statusOf(authority, issued)).toMatch(/: good/)
  expect(await textOf(await listOf(authority), authority)).toContain('verify OK')
})

test('nothing is published without an active authority and an active key', async () => {
  const get = (path: string) => vault().service.call('GET', path)
  expectRefused(await get(ca.at(await ca.pending(), '/crl')), 404, 5)
  const gone = await ca.root()
  await admin().ok('DELETE', ca.at(gone))
  expectRefused(await get(ca.at(gone, '/crl')), 404, 5)
  const silent = await ca.root()
  await admin().act(`ca-${silent.id as string}`, 'revoke', { reason: 'CessationOfOperation' })
  expectRefused(await get(ca.at(silent, '/crl')), 503, 17)
})

test('a certificate that is revoked after its end is in a list, and leaves the lists a day later', async () => {
  const issued = await ca.issue(root, { duration: 1 })
  await ca.revoke(root, issued, 'superseded')
  wait()
  expect((await textOf(await listOf(root), root)).toLowerCase()).toContain(issued.serialNumber)
  vault().advance(DAY)
  expect((await textOf(await listOf(root), root)).toLowerCase()).toContain(issued.serialNumber)
  vault().advance(DAY)
  expect((await textOf(await listOf(root), root)).toLowerCase()).not.toContain(issued.serialNumber)
})

test('a revocation is swept when its certificate is over, which stays revoked', async () => {
  await vault().sweep() // revocations of other tests
  const issued = await ca.issue(root, { duration: 1 })
  await ca.revoke(root, issued, 'superseded')
  expect(await vault().sweep()).toMatchObject({ expired: 0 })
  vault().advance(2 * DAY)
  expect((await vault().sweep()).expired).toBeGreaterThan(0)
  expect((await vault().sweep()).expired).toBe(0)
  expect((await ca.getCert(root, issued)).state).toBe('revoked')
  expect(await statusOf(root, issued, String((6 * DAY) / 1_000))).toMatch(/: revoked/)
})
