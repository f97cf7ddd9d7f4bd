import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import type { Answered } from '../../support/service.ts'
import type { Holder } from '../vault/vault.ts'

export const LOCAL = '/v1/ca/local-cas'
export const EXTERNAL = '/v1/ca/external-cas'
export const CSR = '/v1/ca/csr'

export const someName = (kind: string): string => `${kind}-${randomBytes(6).toString('hex')}`

const run = promisify(execFile)

/** The output of openssl. Texts are passed as files: `{name}` in the arguments is replaced by a file name. */
export async function openssl(
  args: readonly string[],
  files: Readonly<Record<string, string | Buffer>> = {},
): Promise<string> {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-ca-'))
  try {
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
    const given = args.map((arg) => arg.replace(/^\{(\w+)\}$/, (_, name: string) => path.join(folder, name)))
    const { stdout, stderr } = await run('openssl', given)
    return stdout + stderr
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

/** openssl's verification of a chain; throws if it fails. */
export const verified = (leaf: string, root: string, ...more: string[]): Promise<string> =>
  openssl(['verify', '-x509_strict', ...more, '-CAfile', '{root}', '{leaf}'], { leaf, root })

/** A new key, and openssl's request for a certificate with this subject: `/UID=…/CN=…`. */
export async function newRequest(subject: string): Promise<{ csr: string; key: string }> {
  const key = await openssl(['ecparam', '-name', 'prime256v1', '-genkey', '-noout'])
  const csr = await openssl(['req', '-new', '-key', '{key}', '-subj', subject], { key })
  return { csr, key }
}

/** API calls of an administrator of authorities. */
export const authoritiesOf = (who: Holder) => {
  const created = async (calling: Promise<Answered>): Promise<any> => {
    const { status, body } = await calling
    expect(status, JSON.stringify(body)).toBe(201)
    return body
  }
  const at = ({ id }: any, tail = ''): string => `${LOCAL}/${id as string}${tail}`
  const certAt = (ca: any, { id }: any, tail = ''): string => `${at(ca)}/certs/${id as string}${tail}`
  const tryCreate = (body: object = {}): Promise<Answered> => who.call('POST', LOCAL, { cn: someName('root'), ...body })
  const selfSign = (ca: any, body: object = {}): Promise<any> => who.ok('POST', at(ca, '/self-sign'), body)
  const request = async (body: object = {}): Promise<{ csr: string; key: string }> =>
    (await who.ok('POST', CSR, { cn: someName('leaf'), ...body })) as { csr: string; key: string }
  const tryIssue = (ca: any, body: object): Promise<Answered> => who.call('POST', at(ca, '/certs'), body)
  return {
    at,
    certAt,
    tryCreate,
    pending: (body: object = {}): Promise<any> => created(tryCreate(body)),
    selfSign,
    /** A self-signed authority. */
    root: async (body: object = {}, signed: object = {}): Promise<any> =>
      selfSign(await created(tryCreate(body)), signed),
    request,
    tryIssue,
    issue: async (ca: any, body: object = {}): Promise<any> =>
      created(tryIssue(ca, { purpose: 'server', csr: (await request()).csr, ...body })),
    get: (ca: any): Promise<any> => who.ok('GET', at(ca)),
    getCert: (ca: any, cert: any): Promise<any> => who.ok('GET', certAt(ca, cert)),
    revoke: (ca: any, cert: any, reason: string): Promise<Answered> =>
      who.call('POST', certAt(ca, cert, '/revoke'), { reason }),
    resume: (ca: any, cert: any): Promise<Answered> => who.call('POST', certAt(ca, cert, '/resume')),
    tryExternal: (body: object): Promise<Answered> => who.call('POST', EXTERNAL, body),
    external: (body: object): Promise<any> => created(who.call('POST', EXTERNAL, body)),
  }
}
